/** Canonical JSON (RFC 8785): each value has one text, so anyone can recompute its hash. */
import { Malformed } from "./bytes.ts"

// Far deeper than any of our documents; stops a hostile one from overflowing the stack.
const deepest = 128

/**
 * The canonical text of a JSON value: keys sorted by UTF-16 code units, numbers as ECMAScript prints them, no white
 * space. Throws `Malformed` for what JSON cannot express (undefined, NaN, a bigint, a Date, a lone surrogate) instead of
 * dropping it silently.
 */
export const canonical = (value: unknown): string => write(value, 0)

const write = (value: unknown, depth: number): string => {
  if (depth > deepest) throw new Malformed(`canonical JSON: nested deeper than ${deepest}`)
  if (value === null || typeof value === "boolean") return String(value)
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Malformed(`canonical JSON: ${value} is not a JSON number`)
    return JSON.stringify(value)
  }
  if (typeof value === "string") return writeText(value)
  if (Array.isArray(value)) {
    // Array.from, because `map` skips holes and a hole is not JSON.
    return `[${Array.from(value, (member) => write(member, depth + 1)).join(",")}]`
  }
  if (isRecord(value)) {
    let members = ""
    for (const key of Object.keys(value).sort()) {
      members += `${members === "" ? "" : ","}${writeText(key)}:${write(value[key], depth + 1)}`
    }
    return `{${members}}`
  }
  throw new Malformed(`canonical JSON: ${Object.prototype.toString.call(value)} is not a JSON value`)
}

const writeText = (text: string): string => {
  if (!text.isWellFormed()) throw new Malformed("canonical JSON: a string contains a lone surrogate")
  return JSON.stringify(text)
}

/** True for a plain object: not null, an array, a Date or another built-in. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  // Checks the tag, not the prototype: values may come from another realm (`node:vm`, an iframe).
  Object.prototype.toString.call(value) === "[object Object]"

/** Parses canonical JSON; any other spelling throws `Malformed`, saying where it begins to differ. */
export const parseCanonical = (text: string): unknown => {
  let value: unknown
  try {
    // Not the strict reader: what it refuses beyond the grammar is never spelled the same when written again.
    value = JSON.parse(text)
  } catch {
    throw new Malformed("not JSON")
  }
  const spelled = canonical(value)
  if (spelled === text) return value
  let at = 0
  while (spelled[at] === text[at]) at++
  throw new Malformed(`the JSON is not in canonical form (RFC 8785): it differs at character ${at + 1}`)
}
