/** Computes a readable JSON Patch (RFC 6902) from one JSON value to another. */
import type { Schema } from "effect"
import { apply, type JsonPatch, type JsonPatchOperation } from "effect/JsonPatch"
import { escapeToken, unescapeToken } from "effect/JsonPointer"
import { applyEdits, findNodeAtLocation, modify, type ParseError, parseTree } from "jsonc-parser"

/** Up to this many small edits are clearer than replacing the whole value, however short it is. */
const few = 2

/**
 * The smallest edits, or one that replaces the whole value if many edits would be longer. `apply` gives `to` with its
 * members in the same order, so it serialises to the same text.
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

/** Keeps equal items at the start and at the end, and compares the ones between position by position. */
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

/** `apply` puts added members last. With any other order, the members cannot be edited one by one. */
const inObject = (from: Schema.JsonObject, to: Schema.JsonObject, path: string): JsonPatch | undefined => {
  const common = Object.keys(from).filter((name) => Object.hasOwn(to, name))
  const added = Object.keys(to).filter((name) => !Object.hasOwn(from, name))
  if (JSON.stringify(Object.keys(to)) !== JSON.stringify([...common, ...added])) return undefined
  const at = (name: string) => `${path}/${escapeToken(name)}`
  return [
    ...Object.keys(from)
      .filter((name) => !Object.hasOwn(to, name))
      .map((name): JsonPatchOperation => ({ op: "remove", path: at(name) })),
    ...common.flatMap((name) => edits(from[name] ?? null, to[name] ?? null, at(name))),
    ...added.map((name): JsonPatchOperation => ({ op: "add", path: at(name), value: to[name] ?? null }))
  ]
}

/**
 * Applies one edit as typed on the command line: `<JSON pointer>=<JSON value>` sets a value, a pointer alone removes one.
 * Throws if the document has no such place or the value is not JSON.
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

/**
 * Applies one edit as `typed` does, to a text that is JSON: every other character stays, so that no number loses digits. Throws if the
 * text is not JSON or has no such place.
 */
export const memberTyped = (text: string, edit: string): string => {
  const [pointer = "", ...rest] = edit.split("=")
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors)
  if (root === undefined || errors.length > 0)
    throw new Error("the body is not JSON: /exchanges/<number>/text=<JSON text> replaces the whole of it")
  const path: Array<string | number> = []
  for (const name of pointer.split("/").slice(1).map(unescapeToken)) {
    const holder = findNodeAtLocation(root, path)
    if (holder === undefined) throw new Error(`the body has no ${pointer}`)
    path.push(holder.type !== "array" ? name : name === "-" ? -1 : Number(name))
  }
  if (rest.length === 0 && findNodeAtLocation(root, path) === undefined)
    throw new Error(`the body has no ${pointer}`)
  const value: unknown = rest.length === 0 ? undefined : JSON.parse(rest.join("="))
  return applyEdits(text, modify(text, path, value, {}))
}
