/**
 * Converts schemas of core to the JSON Schema of a tool. Every client loads `tools/list` into the model's context, so
 * output schemas are kept short: members and types to a limited depth, without descriptions.
 */
import { Schema } from "effect"

export type JsonObject = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const record = (value: unknown): JsonObject => (isObject(value) ? value : {})

/**
 * The schema of the arguments, with descriptions. Some model APIs accept only a small part of JSON Schema and reject the
 * whole list because of one tool. So every object has `properties`, every list `items`, every member one type, and there
 * are no other keywords (`test/mcp/schemas.test.ts` has the rules and their sources).
 */
export const inputSchema = (schema: Schema.Top): JsonObject => {
  const { definitions, schema: document } = Schema.toJsonSchemaDocument(schema)
  return { properties: {}, ...compact(document, definitions, { depth: 6, describes: true }), type: "object" }
}

/**
 * The schema of an answer, `depth` objects deep; deeper values are left open. It names the members, for whoever writes a program
 * against them, and not which are always there.
 */
export const outputSchema = (schema: Schema.Top, depth: number): JsonObject => {
  const { definitions, schema: document } = Schema.toJsonSchemaDocument(schema)
  const compacted = compact(document, definitions, { depth, describes: false })
  return { ...compacted, type: "object" }
}

interface Options {
  /** How many more levels of objects to describe. */
  readonly depth: number
  readonly describes: boolean
}

const compact = (schema: unknown, definitions: JsonObject, options: Options): JsonObject => {
  const input = record(schema)
  const { $ref } = input
  if (typeof $ref === "string") return compact(definitions[nameOf($ref)], definitions, options)
  const { allOf, anyOf, description, items, properties, required, type } = input
  const details = options.describes && typeof description === "string" ? { description } : {}
  const alternatives = isList(anyOf) ? anyOf : undefined
  // An argument shows only the first type; its description covers the alternatives.
  if (alternatives !== undefined && options.describes) {
    return { ...compact(alternatives[0], definitions, options), ...details }
  }
  if (alternatives !== undefined) return { ...union(alternatives, definitions, options), ...details }
  // `allOf` holds bounds and patterns. Core enforces them and explains violations.
  const parts = isList(allOf) ? allOf.map(record) : []
  if (type === undefined && parts.length > 0)
    return { ...compact(parts[0], definitions, options), ...details }
  if (isList(input["enum"])) return { ...valuesOf(input["enum"], options), ...details }
  if ("const" in input) return { const: input["const"], ...details }
  if (type === "array") {
    const item = compact(items, definitions, options)
    return { type, ...(Object.keys(item).length === 0 ? {} : { items: item }), ...details }
  }
  if (type === "object" || properties !== undefined) {
    const members = Object.entries(record(properties))
    if (options.depth === 0 || members.length === 0) return { type: "object", ...details }
    const below = { ...options, depth: options.depth - 1 }
    return {
      type: "object",
      properties: Object.fromEntries(
        members.map(([name, member]) => [name, compact(member, definitions, below)])
      ),
      ...(options.describes && isList(required) && required.length > 0 ? { required } : {}),
      ...details
    }
  }
  return { ...(type === undefined ? {} : { type }), ...details }
}

/** The most values of a member that an answer's schema lists. */
const mostShown = 6

/** Values as arguments show them, with their type; of an answer, those of a short list. */
const valuesOf = (values: ReadonlyArray<unknown>, { describes }: Options): JsonObject => {
  const type = values.every((value) => typeof value === "string") ? { type: "string" } : {}
  return describes ? { ...type, enum: values } : values.length > mostShown ? type : { enum: values }
}

/** Merges alternatives: simple ones into a list of types, objects into one with all their members optional. */
const union = (
  alternatives: ReadonlyArray<unknown>,
  definitions: JsonObject,
  options: Options
): JsonObject => {
  const compacted = alternatives.map((one) => compact(one, definitions, options))
  const objects = compacted.filter(({ type }) => type === "object")
  if (objects.length > 1) {
    const properties = Object.assign({}, ...objects.map((one) => record(one["properties"])))
    return {
      type: "object",
      ...(Object.keys(properties).length === 0 ? {} : { properties: opened(properties) })
    }
  }
  const consts = compacted.map((one) => one["const"])
  if (consts.every((one) => one !== undefined)) return { enum: consts }
  const types = [...new Set(compacted.map(({ type }) => type))]
  if (types.every((one) => typeof one === "string")) {
    const [first] = objects.length === 1 ? objects : compacted
    return { ...first, type: types.length === 1 ? types[0] : types }
  }
  return {}
}

/** Names the members but leaves their types open, since alternatives may differ. */
const opened = (properties: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(properties).map((name) => [name, {}]))

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const nameOf = (reference: string): string =>
  decodeURIComponent(reference.split("/").at(-1) ?? "")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")
