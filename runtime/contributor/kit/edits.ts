/** What turns one JSON value into another, as a JSON Patch (RFC 6902) that a person can read. */
import type { Schema } from "effect"
import { apply, type JsonPatch, type JsonPatchOperation } from "effect/JsonPatch"
import { escapeToken } from "effect/JsonPointer"

/** So many edits of members say better what is other than the whole anew, however short that is. */
const few = 2

/**
 * The edits, each of the smallest part that it takes: where more than a few are longer than the whole anew, the whole.
 * `apply` gives `to` with the members in the same order, so that it serialises to the same text.
 */
export const edits = (from: Schema.Json, to: Schema.Json, path = ""): JsonPatch => {
  if (JSON.stringify(from) === JSON.stringify(to)) return []
  const whole: JsonPatch = [{ op: "replace", path, value: to }]
  const parts = inside(from, to, path)
  if (parts === undefined) return whole
  return parts.length <= few || JSON.stringify(parts).length < JSON.stringify(whole).length ? parts : whole
}

const inside = (from: Schema.Json, to: Schema.Json, path: string): JsonPatch | undefined => {
  if (isList(from) && isList(to)) return inList(from, to, path)
  return isObject(from) && isObject(to) ? inObject(from, to, path) : undefined
}

const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

const isObject = (value: Schema.Json): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Items at the start and at the end that are the same stay; between them, place by place. */
const inList = (
  from: ReadonlyArray<Schema.Json>,
  to: ReadonlyArray<Schema.Json>,
  path: string
): JsonPatch => {
  const before = from.map((item) => JSON.stringify(item))
  const after = to.map((item) => JSON.stringify(item))
  const shorter = Math.min(from.length, to.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const both = shorter - start - end
  const changed = to
    .slice(start, start + both)
    .flatMap((item, at) => edits(from[start + at] ?? null, item, `${path}/${start + at}`))
  const gone = Array.from(
    { length: Math.max(0, from.length - to.length) },
    (): JsonPatchOperation => ({
      op: "remove",
      path: `${path}/${start + both}`
    })
  )
  const added = to
    .slice(start + both, to.length - end)
    .map((value, at): JsonPatchOperation => ({ op: "add", path: `${path}/${start + both + at}`, value }))
  return [...changed, ...gone, ...added]
}

/** Members that are added come last, as `apply` puts them; another order is no edit of members. */
const inObject = (from: Schema.JsonObject, to: Schema.JsonObject, path: string): JsonPatch | undefined => {
  const kept = Object.keys(from).filter((name) => Object.hasOwn(to, name))
  const added = Object.keys(to).filter((name) => !Object.hasOwn(from, name))
  if (JSON.stringify(Object.keys(to)) !== JSON.stringify([...kept, ...added])) return undefined
  const at = (name: string) => `${path}/${escapeToken(name)}`
  return [
    ...Object.keys(from)
      .filter((name) => !Object.hasOwn(to, name))
      .map((name): JsonPatchOperation => ({ op: "remove", path: at(name) })),
    ...kept.flatMap((name) => edits(from[name] ?? null, to[name] ?? null, at(name))),
    ...added.map((name): JsonPatchOperation => ({ op: "add", path: at(name), value: to[name] ?? null }))
  ]
}

/**
 * One edit as a person types it: `<JSON pointer>=<JSON value>` puts a value there, a pointer alone takes away what is
 * there. Throws where the place is none of the document's, or the value is no JSON.
 */
export const typed = (document: Schema.Json, edit: string): Schema.Json => {
  const [path = "", ...rest] = edit.split("=")
  if (rest.length === 0) return apply([{ op: "remove", path }], document)
  const value: Schema.Json = JSON.parse(rest.join("="))
  try {
    return apply([{ op: "replace", path, value }], document)
  } catch {
    return apply([{ op: "add", path, value }], document)
  }
}
