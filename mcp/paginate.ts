/**
 * Splits a long document into pages. Cuts are between items, never inside one: each page is JSON of the document's shape
 * with some of its items. Together the pages are the whole document: each object member is on one page, and lists
 * continue from page to page.
 */
import { isObject } from "./schema.ts"

/** An item and its position: an object member, or the next item of the list at `path`. */
interface Piece {
  readonly path: ReadonlyArray<string>
  readonly inList: boolean
  readonly value: unknown
  readonly length: number
}

/** Anything longer than this fraction of a page is split further if possible, so that pages are nearly full. */
const part = 1 / 8

const piecesOf = (value: unknown, path: ReadonlyArray<string>, size: number): ReadonlyArray<Piece> => {
  const { length } = JSON.stringify(value)
  const isWhole = path.length > 0 && length <= size * part
  if (!isWhole && Array.isArray(value) && value.length > 0) {
    return value.map((item) => ({ path, inList: true, value: item, length: JSON.stringify(item).length + 1 }))
  }
  if (!isWhole && isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([name, member]) => piecesOf(member, [...path, name], size))
  }
  return [{ path, inList: false, value, length: length + (path.at(-1)?.length ?? 0) + 4 }]
}

/** An object of the page being built. A map, because the member names come from the document. */
type Branch = Map<string, unknown>

const put = (page: Branch, { inList, path, value }: Piece): void => {
  let at = page
  for (const name of path.slice(0, -1)) {
    const next = at.get(name)
    const below: Branch = next instanceof Map ? next : new Map()
    at.set(name, below)
    at = below
  }
  const last = path.at(-1) ?? ""
  const list = at.get(last)
  if (inList && Array.isArray(list)) list.push(value)
  else at.set(last, inList ? [value] : value)
}

const plain = (value: unknown): unknown =>
  value instanceof Map ? Object.fromEntries([...value].map(([name, member]) => [name, plain(member)])) : value

/** The pages of a JSON value, each of at most `size` characters unless it holds a single item. */
export const pagesOf = (document: unknown, size: number): ReadonlyArray<unknown> => {
  const pages: Array<Branch> = []
  let room = 0
  for (const piece of piecesOf(document, [], size)) {
    // Wrapped in a member, so that the document may also be a list or a string.
    const placed = { ...piece, path: ["document", ...piece.path] }
    const length = piece.length + (piece.path.length - 1) * 4
    const page = pages.at(-1)
    if (page === undefined || length > room) {
      pages.push(new Map())
      room = size
    }
    const current = pages.at(-1)
    if (current !== undefined) put(current, placed)
    room -= length
  }
  return pages.map((page) => plain(page.get("document")))
}

/** Replaces very long strings with a note of their length and where to get them. */
export const withoutLongTexts = (value: unknown, longest: number, where: string): unknown => {
  if (typeof value === "string") {
    return value.length <= longest ? value : `[${value.length} characters left out: ${where}]`
  }
  if (Array.isArray(value)) return value.map((item) => withoutLongTexts(item, longest, where))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, withoutLongTexts(member, longest, where)])
  )
}
