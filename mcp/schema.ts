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
  const options = { depth: deepest, describes: true }
  return { properties: {}, ...compact(document, definitions, options), type: "object" }
}

/**
 * The schema of an answer, `depth` objects deep; deeper values are left open. It names the members, for whoever writes a program
 * against them, and not which are always there: every client loads the list.
 */
export const outputSchema = (schema: Schema.Top, depth: number): JsonObject => {
  const { definitions, schema: document } = Schema.toJsonSchemaDocument(schema)
  const compacted = compact(document, definitions, { depth, describes: false })
  return { ...compacted, type: "object" }
}

/** Levels of objects that the schema of the arguments has at most, and those of its members that are described. */
const deepest = 6
const described = 3

/** Values that the schema of an answer lists; of more, such as the units, the type alone is shown. */
const mostValues = 12

interface Options {
  /** How many more levels of objects to show. */
  readonly depth: number
  /** True of arguments: with descriptions, and with what is required at every level. */
  readonly describes: boolean
}

const compact = (schema: unknown, definitions: JsonObject, options: Options): JsonObject => {
  const input = resolved(schema, definitions)
  const { allOf, anyOf, description, items, properties, required, type } = input
  const isDescribed = options.describes && options.depth > deepest - described
  const details = isDescribed && typeof description === "string" ? { description } : {}
  const alternatives = isList(anyOf) ? anyOf : undefined
  if (alternatives !== undefined && options.describes) {
    return { ...oneOf(alternatives.map((one) => compact(one, definitions, options))), ...details }
  }
  if (alternatives !== undefined) return { ...union(alternatives, definitions, options), ...details }
  // `allOf` holds bounds and patterns. Core enforces them and explains violations.
  const parts = isList(allOf) ? allOf.map(record) : []
  if (type === undefined && parts.length > 0)
    return { ...compact(parts[0], definitions, options), ...details }
  if (isList(input["enum"])) {
    const values = input["enum"]
    if (!options.describes) return values.length > mostValues ? { type } : { enum: values }
    return { type, enum: values, ...details }
  }
  if ("const" in input)
    return options.describes
      ? { type, enum: [input["const"]], ...details }
      : { const: input["const"], ...details }
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
      ...(options.describes ? requiredOf(required) : {}),
      ...details
    }
  }
  return { ...(type === undefined ? {} : { type }), ...details }
}

/**
 * What an argument with alternatives shows: objects with the members of all, texts with the values of all, otherwise the
 * first, whose description covers the others.
 */
const oneOf = (alternatives: ReadonlyArray<JsonObject>): JsonObject => {
  const [first = {}] = alternatives
  const descriptions = [...new Set(alternatives.flatMap(({ description }) => description ?? []))]
  const details = descriptions.length === 0 ? {} : { description: descriptions.join("; ") }
  if (alternatives.every((one) => isList(one["enum"])))
    return { ...first, enum: [...new Set(alternatives.flatMap((one) => one["enum"]))], ...details }
  if (!alternatives.every(({ type }) => type === "object")) return first
  const members = alternatives.map((one) => record(one["properties"]))
  const names = [...new Set(members.flatMap(Object.keys))]
  const required = names.filter((name) =>
    alternatives.every((one) => isList(one["required"]) && one["required"].includes(name))
  )
  return {
    type: "object",
    properties: Object.fromEntries(
      names.map((name) => [name, oneOf(members.flatMap((one) => (name in one ? [record(one[name])] : [])))])
    ),
    ...requiredOf(required),
    ...details
  }
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

/** What a schema says, also one that is defined elsewhere. */
const resolved = (schema: unknown, definitions: JsonObject): JsonObject => {
  const input = record(schema)
  const { $ref } = input
  return typeof $ref === "string" ? resolved(definitions[nameOf($ref)], definitions) : input
}

const requiredOf = (required: unknown): JsonObject =>
  isList(required) && required.length > 0 ? { required } : {}

const nameOf = (reference: string): string =>
  decodeURIComponent(reference.split("/").at(-1) ?? "")
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")
