/**
 * The x402 extension `bazaar`: what a resource takes and returns, for catalogs of paid resources. It travels in headers, so the
 * schema of the data names its members and their types only; the OpenAPI document has the whole.
 */
import { OpenApi } from "effect/http-api"
import type { SoldKey } from "../../core/credits/x402/offer.ts"
import { isRecord } from "../../core/proof/canonical.ts"
import { paidPathOf, type ReadPath, readPath } from "../../core/wire/credits/reads.ts"
import { takesKnownAt } from "../../core/wire/products/pointInTime.ts"
import { Api } from "../api/Api.ts"
import { lazily } from "../routing/lazy.ts"

type Schemas = Readonly<Record<string, unknown>>

/** Follows references within the document. */
const resolved = (schema: unknown, schemas: Schemas): unknown => {
  const reference = isRecord(schema) ? schema["$ref"] : undefined
  return typeof reference === "string"
    ? resolved(schemas[reference.split("/").at(-1) ?? ""], schemas)
    : schema
}

const typeOf = (schema: unknown, schemas: Schemas) => {
  const whole = resolved(schema, schemas)
  const type = isRecord(whole) ? whole["type"] : undefined
  return typeof type === "string" ? { type } : {}
}

/** An object schema with the types of its members. */
const outline = (schema: unknown, schemas: Schemas) => {
  const whole = resolved(schema, schemas)
  const { properties } = isRecord(whole) ? whole : {}
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(isRecord(properties) ? properties : {}).map(([name, member]) => [
        name,
        typeOf(member, schemas)
      ])
    )
  }
}

/** How the members of a query and of a JSON body are said. */
const ways = {
  GET: { input: { type: "http", method: "GET", queryParams: {} }, member: "queryParams", words: {} },
  POST: {
    input: { type: "http", method: "POST", bodyType: "json", body: {} },
    member: "body",
    words: { bodyType: { type: "string", enum: ["json"] } }
  }
} as const

/** What a resource takes and returns, as the extension says it; `types` are those of the query or body, by name. */
const extensionOf = (types: object, example: object, baseUrl: string, method: keyof typeof ways = "GET") => ({
  bazaar: {
    info: {
      input: ways[method].input,
      output: { type: "json", schema: `${baseUrl}/x402/openapi.json` }
    },
    schema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        input: {
          type: "object",
          properties: {
            type: { type: "string", const: "http" },
            method: { type: "string", enum: [method] },
            ...ways[method].words,
            [ways[method].member]: { type: "object", properties: types, additionalProperties: false }
          },
          required: ["type", "method"],
          additionalProperties: false
        },
        output: {
          type: "object",
          properties: { type: { type: "string" }, schema: { type: "string" }, example },
          required: ["type"]
        }
      },
      required: ["input"]
    }
  }
})

const ofProduct = (product: string, schemas: Schemas, baseUrl: string) => {
  const sale = outline({ $ref: `X402Sale_${product}` }, schemas)
  const whole = resolved({ $ref: `X402Sale_${product}` }, schemas)
  const properties = isRecord(whole) && isRecord(whole["properties"]) ? whole["properties"] : {}
  const data = outline(properties["data"], schemas)
  const types = {
    as_known_at: { type: "string", description: takesKnownAt },
    min_as_of: {
      type: "string",
      description: "ISO 8601 time in UTC: charge nothing if any value of the data is older"
    }
  }
  return extensionOf(types, { ...sale, properties: { ...sale.properties, data } }, baseUrl)
}

/** Lists of rows have a list as their example; what is in it, the OpenAPI document has. */
const ofRead = (path: ReadPath, { components, paths }: OpenApi.OpenAPISpec, baseUrl: string) => {
  const { get, post } = paths[paidPathOf(path)] ?? {}
  const operation = get ?? post
  const types = (operation?.parameters ?? [])
    .filter((parameter) => parameter.in === "query")
    .map(({ name, schema }) => [name, typeOf(schema, components.schemas)] as const)
  const body = outline(post?.requestBody?.content["application/json"]?.schema, components.schemas)
  const answer = resolved(
    operation?.responses[200]?.content?.["application/json"]?.schema,
    components.schemas
  )
  const isList = isRecord(answer) && answer["type"] === "array"
  const example = isList ? { type: "array" } : outline(answer, components.schemas)
  return post === undefined
    ? extensionOf(Object.fromEntries(types), example, baseUrl)
    : extensionOf(body.properties, example, baseUrl, "POST")
}

/** What the resource of each product, and of each path that is sold by the page, takes and returns. */
export const makeDiscovery = (baseUrl: string) => {
  const document = lazily(() => OpenApi.fromApi(Api))
  const cache = new Map<SoldKey, ReturnType<typeof extensionOf>>()
  return (key: SoldKey) => {
    const path = readPath(key)
    const discovery =
      cache.get(key) ??
      (path === undefined
        ? ofProduct(key, document().components.schemas, baseUrl)
        : ofRead(path, document(), baseUrl))
    cache.set(key, discovery)
    return discovery
  }
}
