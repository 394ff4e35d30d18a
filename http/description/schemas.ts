/** Schemas as client generators like them: plain names, one of each, and answers that may gain members. */
import { isObject, type JsonSchema, nameOf } from "./document.ts"

type Schemas = Readonly<Record<string, JsonSchema>>

const reference = "#/components/schemas/"

/** `value` with every object in it replaced by what `of` makes of it, innermost first. */
const rewritten = (value: unknown, of: (object: JsonSchema) => JsonSchema): unknown => {
  if (Array.isArray(value)) return value.map((each) => rewritten(each, of))
  if (!isObject(value)) return value
  return of(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewritten(each, of)])))
}

/** The same as a schema without its words. */
const formOf = ({ description: _, ...form }: JsonSchema): string => JSON.stringify(form)

/**
 * A name for every generated one. The generator calls the wire form of a class `...Encoded`, and numbers a schema that is
 * used with other words (`BriefFigure_2`): that one is the first, and its words stand where it is used.
 */
const plainNames = (schemas: Schemas): ReadonlyMap<string, string> => {
  const named = new Map<string, string>()
  for (const name of Object.keys(schemas)) {
    const [, plain = ""] = /^(.*)Encoded$/.exec(name) ?? []
    if (plain !== "" && schemas[plain] === undefined) named.set(name, plain)
  }
  // A numbered one may use a numbered one, so that forms agree only once the names in them do.
  for (let before = -1; before !== named.size; ) {
    before = named.size
    const under = (name: string) => formOf(renamed(schemas[name] ?? {}, named, schemas))
    for (const name of Object.keys(schemas)) {
      const [, first = ""] = /^(.*)_\d+$/.exec(name) ?? []
      if (!named.has(name) && schemas[first] !== undefined && under(name) === under(first)) {
        named.set(name, first)
      }
    }
  }
  return named
}

const renamed = (value: JsonSchema, names: ReadonlyMap<string, string>, schemas: Schemas): JsonSchema => {
  const result = rewritten(value, (object) => {
    const { $ref } = object
    const name = typeof $ref === "string" ? nameOf($ref) : ""
    const plain = names.get(name)
    if (plain === undefined) return object
    const text = schemas[name]?.["description"]
    return {
      ...object,
      $ref: `${reference}${plain}`,
      ...(text === undefined || text === schemas[plain]?.["description"] || schemas[plain] === undefined
        ? {}
        : { description: text })
    }
  })
  return isObject(result) ? result : {}
}

/** The document with plain names of schemas. */
export const withPlainNames = <A extends { readonly components: { readonly schemas: Schemas } }>(
  document: A
): A => {
  const { schemas } = document.components
  const names = plainNames(schemas)
  const { components, ...rest } = document
  const remaining = Object.entries(schemas).filter(([name]) => {
    const plain = names.get(name)
    return plain === undefined || schemas[plain] === undefined
  })
  return {
    ...document,
    ...renamed(rest, names, schemas),
    components: {
      ...components,
      schemas: Object.fromEntries(
        remaining
          .map(([name, schema]) => [names.get(name) ?? name, renamed(schema, names, schemas)] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
      )
    }
  }
}

/** A choice of one schema is that schema, with the words of both places. */
const withoutChoiceOfOne = (object: JsonSchema): JsonSchema => {
  const { anyOf, ...words } = object
  const [only, ...others] = Array.isArray(anyOf) ? anyOf : []
  return isObject(only) && others.length === 0 ? { ...only, ...words } : object
}

/** A list whose first items and others are of one schema is that list, with its least length. */
const withoutFirstItems = (object: JsonSchema): JsonSchema => {
  const { prefixItems, ...list } = object
  const form = JSON.stringify(object["items"])
  return Array.isArray(prefixItems) && prefixItems.every((item) => JSON.stringify(item) === form)
    ? list
    : object
}

/** An integer without the bounds that every number in JSON has which a double holds exactly: they bound nothing. */
const withoutSafeBounds = (object: JsonSchema): JsonSchema => {
  if (object["type"] !== "integer") return object
  const { maximum, minimum, ...integer } = object
  return {
    ...integer,
    ...(minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? {} : { minimum }),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum })
  }
}

/** The same schemas in the forms that generators of clients know. */
export const inFamiliarForms = <A extends JsonSchema>(value: A): A => {
  const result = rewritten(value, (object) =>
    withoutSafeBounds(withoutFirstItems(withoutChoiceOfOne(object)))
  )
  // Only schemas in it are other than before, and they are schemas still.
  return { ...value, ...(isObject(result) ? result : {}) }
}

/** The schema, whose objects may have members that it does not list. */
export const open = (schema: unknown): unknown =>
  rewritten(schema, (object) => {
    if (object["additionalProperties"] !== false) return object
    const { additionalProperties: _, ...opened } = object
    return opened
  })

/** Names of the schemas that a value refers to, directly or not. */
export const reachableSchemas = (
  schemas: Schemas,
  from: unknown,
  names = new Set<string>()
): ReadonlySet<string> => {
  rewritten(from, (object) => {
    const { $ref } = object
    const name = typeof $ref === "string" && $ref.startsWith(reference) ? nameOf($ref) : ""
    if (name !== "" && !names.has(name)) {
      names.add(name)
      reachableSchemas(schemas, schemas[name], names)
    }
    return object
  })
  return names
}
