/**
 * The released description of the API, `http/api/released.json`: every path, method, parameter, field and value of an
 * enumeration that was ever released, as lines. Run alone it adds what is new; nothing ever leaves it.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { ProblemDetails } from "effect/http"
import { OpenApi } from "effect/http-api"
import { Api } from "../../http/api/Api.ts"

const file = new URL("../../http/api/released.json", import.meta.url)

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a schema lets through, as lines under `at`. Named schemas are read in their place: their names may change. */
const lines = (schemas: Json, schema: unknown, at: string, visited: ReadonlyArray<string>): Array<string> => {
  if (!isObject(schema)) return []
  const reference = schema["$ref"]
  if (typeof reference === "string") {
    const name = reference.split("/").at(-1) ?? ""
    return visited.includes(name) ? [] : lines(schemas, schemas[name], at, [...visited, name])
  }
  const under = (key: string, mark: string) => {
    const member = schema[key]
    return Array.isArray(member)
      ? member.flatMap((each) => lines(schemas, each, at + mark, visited))
      : lines(schemas, member, at + mark, visited)
  }
  const { enum: values, properties, required } = schema
  const product = productOf(properties)
  if (product !== undefined) {
    // What a product delivers is listed once, under its own name.
    return [
      `${at}.data is that of ${product}`,
      ...lines(schemas, { ...schema, properties: { ...(properties as Json), data: {} } }, at, visited).filter(
        (line) => line !== `${at}.product_key = "${product}"`
      )
    ]
  }
  const needed: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
  return [
    ...(Array.isArray(values) ? values.map((value) => `${at} = ${JSON.stringify(value)}`) : []),
    ...(isObject(properties)
      ? Object.entries(properties).flatMap(([name, property]) => [
          `${at}.${name}`,
          ...(needed.includes(name) ? [`${at}.${name} is always there`] : []),
          ...lines(schemas, property, `${at}.${name}`, visited)
        ])
      : []),
    ...under("items", "[]"),
    ...under("additionalProperties", "{}"),
    ...under("anyOf", ""),
    ...under("oneOf", ""),
    ...under("allOf", "")
  ]
}

/** The product whose payload stands in the member `data` beside its key. */
const productOf = (properties: unknown): string | undefined => {
  if (!isObject(properties) || !isObject(properties["product_key"]) || !isObject(properties["data"])) return
  const { enum: keys } = properties["product_key"]
  if (properties["data"]["$ref"] === undefined) return
  return Array.isArray(keys) && keys.length === 1 ? String(keys[0]) : undefined
}

/** What each product delivers, under its key. */
const delivered = (schemas: Json, document: OpenApi.OpenAPISpec): ReadonlyArray<string> => {
  const { schema } =
    document.paths["/v1/credits/purchase"]?.post?.responses[200]?.content?.["application/json"] ?? {}
  const variants = isObject(schema) && Array.isArray(schema["anyOf"]) ? schema["anyOf"] : []
  return variants.flatMap((variant: unknown) => {
    const name = isObject(variant) ? String(variant["$ref"]).split("/").at(-1) : undefined
    const definition = schemas[name ?? ""]
    const properties = isObject(definition) ? definition["properties"] : undefined
    const product = productOf(properties)
    return product === undefined || !isObject(properties)
      ? []
      : lines(schemas, properties["data"], `product ${product}`, [])
  })
}

/** The problems of a schema, each by its `type`: their members are listed once and not at every endpoint. */
const problems = (
  schemas: Json,
  schema: unknown
): ReadonlyArray<{ readonly name: string; readonly type: string; readonly schema: unknown }> => {
  if (!isObject(schema)) return []
  const { $ref, anyOf } = schema
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => problems(schemas, each))
  const name = typeof $ref === "string" ? ($ref.split("/").at(-1) ?? "") : ""
  const definition = name === "" ? schema : schemas[name]
  const type = /"(\/problems\/[a-z-]+)"/.exec(JSON.stringify(definition))?.[1] ?? name
  return [{ name, type, schema: definition }]
}

/** The description as it stands. */
export const described = (): ReadonlyArray<string> => {
  const document = OpenApi.fromApi(Api)
  const schemas: Json = document.components.schemas
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    (["get", "post", "put", "patch", "delete"] as const).flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const at = `${method.toUpperCase()} ${path}`
      return [
        at,
        ...operation.parameters.flatMap((parameter) => [
          `${at} ${parameter.in} ${parameter.name}`,
          ...lines(schemas, parameter.schema, `${at} ${parameter.in} ${parameter.name}`, [])
        ]),
        ...Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, media]) =>
          lines(schemas, media.schema, `${at} body ${type}`, [])
        ),
        ...Object.entries(operation.responses).flatMap(([status, response]) =>
          Object.entries(response.content ?? {}).flatMap(([type, media]) => [
            `${at} ${status} ${type}`,
            ...(type === ProblemDetails.contentType
              ? problems(schemas, media.schema).flatMap(({ name, type, schema }) => [
                  `${at} ${status} ${type}`,
                  // Its title is prose and may be reworded; clients rely on `type` and `error`.
                  ...lines(schemas, schema, type, [name]).filter(
                    (line) => !line.startsWith(`${type}.title = `)
                  )
                ])
              : lines(schemas, media.schema, `${at} ${status}`, []))
          ])
        )
      ]
    })
  )
  return [...new Set([...all, ...delivered(schemas, document)])].sort()
}

export const released = (): ReadonlyArray<string> => JSON.parse(readFileSync(file, "utf8"))

if (import.meta.main) {
  writeFileSync(file, `${JSON.stringify([...new Set([...released(), ...described()])].sort(), null, 1)}\n`)
}
