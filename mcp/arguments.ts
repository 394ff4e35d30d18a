/**
 * Accepts arguments the way models send them: null for omitted ones, a number as a string or the reverse, an object as
 * its JSON. Only the type changes, to the one in the schema; core validates the value.
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

/** The value converted to the type in the schema if the meaning is the same, otherwise unchanged. */
export const coerceArguments = (value: unknown, schema: JsonObject): unknown => {
  const { items, properties, type } = schema
  if (typeof value === "string") {
    if (type === "integer" || type === "number") return number.test(value) ? Number(value) : value
    if (type !== "object" && type !== "array") return value
    const inside = parsed(value)
    return typeof inside === "object" && inside !== null ? coerceArguments(inside, schema) : value
  }
  if (typeof value === "number") return type === "string" ? String(value) : value
  if (Array.isArray(value)) return value.map((item) => coerceArguments(item, record(items)))
  if (!isObject(value)) return value
  const members = record(properties)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      member === null ? [] : [[name, coerceArguments(member, record(members[name]))]]
    )
  )
}
