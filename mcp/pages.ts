/**
 * A long document in pages. It is cut between items, never inside of one: each page is JSON of the document's own shape
 * with a part of its items. All pages together are the whole: members of objects stand in one of them, and the items of
 * a list follow one another.
 */
import { isObject } from "./schema.ts"

/** An item and where it belongs: a member of an object, or the next item of the list at the path. */
interface Piece {
  readonly path: ReadonlyArray<string>
  readonly inList: boolean
  readonly value: unknown
  readonly length: number
}

/** What is longer than this part of a page is cut further, where it can be: pages are then nearly full. */
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

/** Objects of a page in the making; names come from the document, so that a plain object would not do. */
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

/** The pages of a JSON value, each of at most `size` characters; one that is a single item may be longer. */
export const pagesOf = (document: unknown, size: number): ReadonlyArray<unknown> => {
  const pages: Array<Branch> = []
  let room = 0
  for (const piece of piecesOf(document, [], size)) {
    // Under a name, so that a document which is a list or a text has a place, too.
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

/** The value with its very long texts cut, each saying how much is left out and where it is. */
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
