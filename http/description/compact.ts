/**
 * The description in the form that is sent: what is said in several places is said once, in `components`, and examples are a document
 * of their own. It says what the whole one says, in two thirds of the bytes.
 */
import {
  type Document,
  isObject,
  type Media,
  mapMedia,
  mapOperations,
  nameOf,
  operationsOf,
  type Parameter,
  type Response
} from "./document.ts"
import { withCommonMembers } from "./unions.ts"

/** A part of a document; any of its own parts may be a reference. */
export type Part = Readonly<Record<string, unknown>>

/** Bytes of a reference, without the name at its end. */
const referenceBytes = 35

/** Of an operation without its group. */
const ownerOf = (operationId: string): string => pascal(operationId.replace(/^\w+\./, ""))

const pascal = (text: string): string =>
  text.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/** What browsers have besides what Node has: a type of that name in a generated client hides the platform's. */
const platform = new Set([
  "Attr",
  "Comment",
  "Document",
  "Element",
  "Image",
  "Node",
  "Option",
  "Range",
  "Selection",
  "Text"
])

/** A name for what `member` of `owner` is: the member's own, if nobody has it. */
const freeName = (names: ReadonlySet<string>, owner: string, member: string): string => {
  const whole = `${owner}${member}`
  const isTaken = names.has(member) || platform.has(member) || member in globalThis
  let name = isTaken ? whole : member
  for (let n = 2; names.has(name); n++) name = `${whole}${n}`
  return name
}

/** Where a part stands: the operation or component that has it, and the member that it is. */
interface Place {
  readonly owner: string
  readonly member: string
}

/** Names for what is said more than once among these, by its text. */
const repeated = (
  parts: ReadonlyArray<readonly [place: Place, part: unknown]>,
  reserved: Iterable<string>
): ReadonlyMap<string, string> => {
  const first = new Map<string, Place>()
  const names = new Map<string, string>()
  const used = new Set(reserved)
  for (const [place, part] of parts) {
    const text = JSON.stringify(part)
    const { member, owner } = first.get(text) ?? place
    if (!first.has(text)) first.set(text, place)
    else if (!names.has(text)) {
      const name = freeName(used, owner, member)
      used.add(name)
      names.set(text, name)
    }
  }
  return names
}

const schemaAlone = (content: Readonly<Record<string, Media>>): Readonly<Record<string, Media>> =>
  Object.fromEntries(Object.entries(content).map(([type, { schema }]) => [type, { schema }]))

const withoutExamples = (document: Document): Document => ({
  ...document,
  components: {
    ...document.components,
    examples: {},
    responses: Object.fromEntries(
      Object.entries(document.components.responses).map(([name, response]) => [
        name,
        response.content === undefined ? response : { ...response, content: schemaAlone(response.content) }
      ])
    )
  },
  paths: mapOperations(document, (operation) => {
    const { requestBody, ...others } = mapMedia(operation, ({ schema }) => ({ schema }))
    return requestBody === undefined
      ? others
      : { ...others, requestBody: { ...requestBody, content: schemaAlone(requestBody.content) } }
  })
})

/** A response is called by the problems that it may be, or by the operation that gives it. */
const nameOfResponse = (operationId: string, { content = {} }: Response): string => {
  const { schema } = content["application/problem+json"] ?? {}
  if (!isObject(schema)) return `${ownerOf(operationId)}Answer`
  const { anyOf = [schema] } = schema
  return Array.isArray(anyOf) ? anyOf.map((each) => nameOf(String(each["$ref"]))).join("Or") : "Problem"
}

/** What is not said is not required. */
const plainly = ({ required, ...parameter }: Parameter): Part =>
  required ? { ...parameter, required } : parameter

const asComponents = (names: ReadonlyMap<string, string>): Part =>
  Object.fromEntries([...names].map(([text, name]) => [name, JSON.parse(text)]))

/** Responses and parameters that operations share are said once. */
const withSharedParts = (document: Document): Part => {
  const operations = operationsOf(document).map(({ operation }) => operation)
  const { examples: _, ...components } = document.components
  const responses = repeated(
    operations.flatMap(({ operationId, responses: own }) =>
      Object.values(own).flatMap((response) =>
        "$ref" in response
          ? []
          : [
              [
                { owner: ownerOf(operationId), member: nameOfResponse(operationId, response) },
                response
              ] as const
            ]
      )
    ),
    Object.keys(components.responses)
  )
  const parameters = repeated(
    operations.flatMap(({ operationId, parameters: own }) =>
      own.map(
        (parameter) =>
          [{ owner: ownerOf(operationId), member: pascal(parameter.name) }, plainly(parameter)] as const
      )
    ),
    []
  )
  const refer = (section: string, names: ReadonlyMap<string, string>, part: unknown): unknown => {
    const name = names.get(JSON.stringify(part))
    return name === undefined ? part : { $ref: `#/components/${section}/${name}` }
  }
  const paths = Object.entries(document.paths).map(([path, item]) => [
    path,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        {
          ...operation,
          parameters: operation.parameters.map((parameter) =>
            refer("parameters", parameters, plainly(parameter))
          ),
          responses: Object.fromEntries(
            Object.entries(operation.responses).map(([status, response]) => [
              status,
              refer("responses", responses, response)
            ])
          )
        }
      ])
    )
  ])
  return {
    ...document,
    components: {
      ...components,
      responses: { ...components.responses, ...asComponents(responses) },
      parameters: asComponents(parameters)
    },
    paths: Object.fromEntries(paths)
  }
}

/** Members of a schema that are a schema, a list of them, and a map of them. */
const schemaMembers = new Set(["items", "additionalProperties", "not"])
const listMembers = new Set(["anyOf", "oneOf", "prefixItems"])
const mapMembers = new Set(["properties", "patternProperties"])

type EachSchema = (schema: unknown, place: Place) => unknown

/** The schema with each of the schemas in it replaced. */
const mapSchemas = (schema: Part, { member, owner }: Place, of: EachSchema): Part =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (schemaMembers.has(key)) return [key, of(value, { owner, member: `${member || owner}Item` })]
      // The parts of one schema are no schemas that anybody would call by a name.
      if (key === "allOf" && Array.isArray(value)) {
        return [key, value.map((each) => (isObject(each) ? mapSchemas(each, { member, owner }, of) : each))]
      }
      if (listMembers.has(key) && Array.isArray(value)) {
        return [key, value.map((each) => of(each, { owner, member: member || `${owner}Choice` }))]
      }
      if (!mapMembers.has(key) || !isObject(value)) return [key, value]
      const each = Object.entries(value).map(([name, one]) => [
        name,
        of(one, { owner, member: pascal(name) })
      ])
      return [key, Object.fromEntries(each)]
    })
  )

/** The part with each schema in it replaced, down to the first of each: those of bodies and parameters. */
const mapOutermost = (part: unknown, place: Place, of: EachSchema): unknown => {
  if (Array.isArray(part)) return part.map((each) => mapOutermost(each, place, of))
  if (!isObject(part)) return part
  const { name, operationId } = part
  const here = {
    owner: typeof operationId === "string" ? ownerOf(operationId) : place.owner,
    member: typeof name === "string" ? pascal(name) : place.member
  }
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      key === "schema" ? of(value, here) : mapOutermost(value, here, of)
    ])
  )
}

/** What members of many names are. */
const commonNames: Readonly<Record<string, string>> = {
  "ISO 8601 in UTC": "Time",
  "US dollars (1 credit = 1 USD), exact, at most 6 decimal places": "Dollars",
  "Zero-based index in the request's points": "PointIndex"
}

/** A schema without a description deserves a name of its own if it has one of these. */
const selfEvident = ["properties", "anyOf", "enum"]

const bodyPlace: Place = { owner: "", member: "Body" }

/** Schemas that are said in several places are said once. */
const withSharedSchemas = (document: Part): Part => {
  const { components, ...others } = document
  const { schemas, ...parts } = components as Part & { readonly schemas: Readonly<Record<string, Part>> }
  const inComponents = (of: EachSchema) =>
    Object.fromEntries(
      Object.entries(schemas).map(([owner, schema]) => [owner, mapSchemas(schema, { owner, member: "" }, of)])
    )

  /** How often a schema is said; what is in a repeated one counts where that stands first. */
  const counts = new Map<string, number>()
  const count: EachSchema = (schema, place) => {
    if (!isObject(schema)) return schema
    const text = JSON.stringify(schema)
    const before = counts.get(text) ?? 0
    counts.set(text, before + 1)
    if (before === 0) mapSchemas(schema, place, count)
    return schema
  }
  inComponents(count)
  mapOutermost(parts, bodyPlace, count)
  mapOutermost(others, bodyPlace, count)

  const references = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]))
  const names = new Set(Object.keys(schemas))
  const shared: Record<string, Part> = {}
  const replace: EachSchema = (schema, place) => {
    if (!isObject(schema) || "$ref" in schema) return schema
    const text = JSON.stringify(schema)
    const times = counts.get(text) ?? 0
    if (!references.has(text)) {
      const { description } = schema
      const name = freeName(names, place.owner, commonNames[String(description)] ?? place.member)
      const saved = (times - 1) * text.length - (times + 1) * (referenceBytes + name.length)
      const isClear = description !== undefined || selfEvident.some((key) => key in schema)
      if (saved <= 0 || !isClear) return mapSchemas(schema, place, replace)
      names.add(name)
      references.set(text, name)
      shared[name] = mapSchemas(schema, { owner: name, member: "" }, replace)
    }
    return { $ref: `#/components/schemas/${references.get(text)}` }
  }
  const own = inComponents(replace)
  const rest = mapOutermost(others, bodyPlace, replace)
  const partsOnce = mapOutermost(parts, bodyPlace, replace)
  return {
    ...(isObject(rest) ? rest : {}),
    components: { ...(isObject(partsOnce) ? partsOnce : {}), schemas: { ...own, ...shared } }
  }
}

/** Every answer names a dozen headers: in short, they take a fiftieth of the document less. */
const withShortHeaders = (document: Document): Document => {
  const { headers } = document.components
  const used = new Set<string>()
  const names = new Map(
    Object.keys(headers).map((header) => {
      const name = freeName(used, "Service", pascal(header.replace(/^X-Service-/, "")))
      used.add(name)
      return [header, name]
    })
  )
  const text = JSON.stringify(document).replaceAll(
    /(?<=#\/components\/headers\/)[\w-]+/g,
    (header) => names.get(header) ?? header
  )
  const short = JSON.parse(text) as Document
  const named = Object.entries(headers).map(([header, what]) => [names.get(header) ?? header, what])
  return { ...short, components: { ...short.components, headers: Object.fromEntries(named) } }
}

/** The document as it is sent. */
export const compact = (document: Document): Part =>
  withSharedSchemas(withSharedParts(withCommonMembers(withShortHeaders(withoutExamples(document)))))
