/** Computes a readable JSON Patch (RFC 6902) from one JSON value to another. */
import type { Schema } from "effect"
import { apply, type JsonPatch, type JsonPatchOperation } from "effect/JsonPatch"
import { escapeToken, unescapeToken } from "effect/JsonPointer"
import { applyEdits, findNodeAtLocation, modify, type ParseError, parseTree } from "jsonc-parser"
import { pointer, replaced } from "../Leaf.ts"
import { isJson, leaves } from "../leaves.ts"

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

/** How many places of a body are named to whoever names one that is not there. */
const examples = 4

const whole = "/exchanges/<number>/text=<JSON text> replaces the whole of it"

/** Whether a text has a JSON text in each line: its leaves have quotes and commas around them. */
const isLines = (text: string): boolean =>
  text.split("\n").every((line) => line.trim() === "" || isJson(line))

/** The same for a text that is no JSON: a place is a leaf of it, as `leaves` finds them in XML and in cells. */
const leafTyped = (text: string, place: string, value: string | undefined): string => {
  const all = isLines(text) ? [] : leaves(text).filter(({ path }) => path.length > 0)
  const leaf = all.find(({ path }) => pointer(path) === place)
  if (leaf === undefined) {
    const places = all.slice(0, examples).map(({ path }) => pointer(path))
    throw new Error(
      all.length === 0
        ? `the body is neither JSON nor XML nor cells: ${whole}`
        : `the body has no ${place}; it has ${places.join(", ")}${all.length > examples ? ", …" : ""}`
    )
  }
  if (value === undefined) return replaced(text, { ...leaf, ...leaf.whole }, "")
  const read: unknown = JSON.parse(value)
  const written = typeof read === "string" ? read : value
  return replaced(text, leaf, leaf.whole === undefined ? written : escaped(written))
}

/** As the text of an element or an attribute. */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;").replaceAll("'", "&apos;")

/**
 * Applies one edit as `typed` does, to a text: every other character stays, so that no number loses digits. In JSON a place is a member,
 * in XML an attribute or an element without others (`/entry/1/title`, without the name of the root), else a cell by row and column (`/3/0`). Throws if the text
 * has no such place.
 */
export const memberTyped = (text: string, edit: string): string => {
  const [place = "", ...rest] = edit.split("=")
  const errors: Array<ParseError> = []
  const root = parseTree(text, errors)
  if (root === undefined || errors.length > 0)
    return leafTyped(text, place, rest.length === 0 ? undefined : rest.join("="))
  const path: Array<string | number> = []
  for (const name of place.split("/").slice(1).map(unescapeToken)) {
    const holder = findNodeAtLocation(root, path)
    if (holder === undefined) throw new Error(`the body has no ${place}`)
    path.push(holder.type !== "array" ? name : name === "-" ? -1 : Number(name))
  }
  if (rest.length === 0 && findNodeAtLocation(root, path) === undefined)
    throw new Error(`the body has no ${place}`)
  const value: unknown = rest.length === 0 ? undefined : JSON.parse(rest.join("="))
  return applyEdits(text, modify(text, path, value, {}))
}
