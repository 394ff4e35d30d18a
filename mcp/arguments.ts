/**
 * Arguments as models and their clients send them: null for what they leave out, a number as text, a text as a number,
 * an object as its JSON. Only the kind of a value is changed, to the one that the schema names; core judges the value.
 */
import { isObject, type JsonObject, record } from "./schema.ts"

const number = /^-?\d{1,15}(\.\d{1,15})?$/

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The value as the schema has it, where it says the same; else the value as it is. */
export const fitted = (value: unknown, schema: JsonObject): unknown => {
  const { items, properties, type } = schema
  if (typeof value === "string") {
    if (type === "integer" || type === "number") return number.test(value) ? Number(value) : value
    if (type !== "object" && type !== "array") return value
    const inside = parsed(value)
    return typeof inside === "object" && inside !== null ? fitted(inside, schema) : value
  }
  if (typeof value === "number") return type === "string" ? String(value) : value
  if (Array.isArray(value)) return value.map((item) => fitted(item, record(items)))
  if (!isObject(value)) return value
  const members = record(properties)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === null ? [] : [[name, fitted(member, record(members[name]))]]
    )
  )
}
