/** What all choices of a union have is said once: of twenty products each is bought with the same receipt. */
import { type Document, isObject, type JsonSchema, nameOf } from "./document.ts"

interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, unknown>>
  readonly required?: ReadonlyArray<string>
}

const isObjectSchema = (schema: unknown): schema is ObjectSchema =>
  isObject(schema) && schema["type"] === "object" && isObject(schema["properties"])

/** The names that a union refers to; undefined of anything else. */
const choicesOf = (part: Readonly<Record<string, unknown>>): ReadonlyArray<string> | undefined => {
  const { anyOf } = part
  if (!Array.isArray(anyOf)) return undefined
  const names = anyOf.flatMap((each) =>
    isObject(each) && typeof each["$ref"] === "string" ? [nameOf(each["$ref"])] : []
  )
  return names.length === anyOf.length ? names : undefined
}

/** Every union of references in a part, once. */
const unionsIn = (part: unknown): ReadonlyArray<ReadonlyArray<string>> => {
  const unions = new Map<string, ReadonlyArray<string>>()
  const look = (each: unknown): void => {
    if (Array.isArray(each)) for (const one of each) look(one)
    if (!isObject(each)) return
    const choices = choicesOf(each)
    if (choices !== undefined) unions.set(choices.join(), choices)
    for (const one of Object.values(each)) look(one)
  }
  look(part)
  return [...unions.values()]
}

/** Choices of fewer are read more easily as they are. */
const fewest = 5

/** The beginning that names of choices have in common, before their underscore. */
const stemOf = (names: ReadonlyArray<string>): string | undefined => {
  const stems = new Set(names.map((name) => name.split("_")[0] ?? name))
  return stems.size === 1 ? [...stems][0] : undefined
}

const pick = (
  { properties, required = [] }: ObjectSchema,
  isPicked: (name: string) => boolean
): ObjectSchema => {
  const needed = required.filter(isPicked)
  return {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isPicked(name))),
    ...(needed.length === 0 ? {} : { required: needed })
  }
}

/** The members that all of these have alike: the same schema, and required by all or by none. */
const commonOf = (schemas: ReadonlyArray<ObjectSchema>): ReadonlySet<string> => {
  const [first, ...others] = schemas
  if (first === undefined) return new Set()
  const textOf = ({ properties, required = [] }: ObjectSchema, name: string) =>
    JSON.stringify([properties[name], required.includes(name)])
  return new Set(
    Object.keys(first.properties).filter((name) =>
      others.every((other) => textOf(other, name) === textOf(first, name))
    )
  )
}

/** A choice is what every choice is (`Every<stem>`), and what it alone is. Only choices of one union, whose names begin alike. */
export const withCommonMembers = (document: Document): Document => {
  const { schemas } = document.components
  const unions = unionsIn(document)
  const changed: Record<string, JsonSchema> = {}
  for (const names of unions) {
    const stem = stemOf(names)
    const choices = names.flatMap((name) => {
      const schema = schemas[name]
      return isObjectSchema(schema) && !("additionalProperties" in schema) ? [[name, schema] as const] : []
    })
    if (stem === undefined || choices.length < Math.max(fewest, names.length)) continue
    const common = commonOf(choices.map(([, schema]) => schema))
    const every = `Every${stem}`
    const [first] = choices
    if (first === undefined || common.size < 2 || every in schemas) continue
    changed[every] = pick(first[1], (name) => common.has(name))
    for (const [name, schema] of choices) {
      const { properties: _, required: __, type: ___, ...others } = schema
      changed[name] = {
        ...others,
        allOf: [{ $ref: `#/components/schemas/${every}` }, pick(schema, (member) => !common.has(member))]
      }
    }
  }
  return { ...document, components: { ...document.components, schemas: { ...schemas, ...changed } } }
}
