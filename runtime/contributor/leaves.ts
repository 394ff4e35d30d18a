/** The leaves of a payload and their positions in its text: one can be changed without touching any other byte. */
import type { Leaf } from "./Leaf.ts"
import { rootOf, xmlLeaves } from "./xmlLeaves.ts"

/** A member or list item after the first, including the comma before it, so it can be cut out. */
export interface Item {
  /** Path of the object or list. */
  readonly path: ReadonlyArray<string>
  readonly start: number
  readonly end: number
}

const scalar = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const quoted = /"(?:[^"\\]|\\.)*"/y
const blank = /[\s]*/y

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Leaves in the order of the text: of JSON; of lines of JSON, the line's number first in the path; of cells by row and column,
 * which commas separate, or `|` in a line without one, or blanks in one without either; of XML, its attributes and the texts of elements without others.
 */
export const leaves = (text: string): ReadonlyArray<Leaf> => {
  if (isJson(text)) return jsonLeaves(text, 0, [])
  if (rootOf(text) !== undefined) return xmlLeaves(text)
  const lines = text.split("\n")
  const filled = lines.filter((line) => line.trim() !== "")
  const read = filled.every(isJson) ? jsonLeaves : cells
  let at = 0
  return lines.flatMap((line, row) => {
    const lineLeaves = line.trim() === "" ? [] : read(line, at, [String(row)])
    at += line.length + 1
    return lineLeaves
  })
}

const cells = (line: string, from: number, above: ReadonlyArray<string>): ReadonlyArray<Leaf> => {
  if (!/[,|]/.test(line)) return words(line, from, above)
  let at = from
  return line.split(line.includes(",") ? "," : "|").map((cell, column) => {
    const leaf = { path: [...above, String(column)], start: at, end: at + cell.trimEnd().length }
    at += cell.length + 1
    return leaf
  })
}

/** A time of which date and clock, or year, month and day, stand between blanks is one cell. */
const word =
  /\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2})?(?!\S)|(?<!\S)20\d{2}[ \t]+\d{2}[ \t]+\d{2}(?:[ \t]+\d{2}){0,2}(?!\S)|\S+/g

const words = (line: string, from: number, above: ReadonlyArray<string>): ReadonlyArray<Leaf> =>
  [...line.matchAll(word)].map(({ 0: cell, index }, column) => ({
    path: [...above, String(column)],
    start: from + index,
    end: from + index + cell.length
  }))

/** Items after the first of every list and object of a JSON text; none of anything else. */
export const items = (text: string): ReadonlyArray<Item> => {
  const allItems: Array<Item> = []
  if (isJson(text)) jsonLeaves(text, 0, [], (item) => allItems.push(item))
  return allItems
}

/** Leaves of a JSON text that starts at `from` in a larger text. */
const jsonLeaves = (
  text: string,
  from: number,
  above: ReadonlyArray<string>,
  onItem: (item: Item) => void = () => {}
): ReadonlyArray<Leaf> => {
  const allLeaves: Array<Leaf> = []
  let at = 0
  const take = (form: RegExp): string => {
    form.lastIndex = at
    const [token = ""] = form.exec(text) ?? []
    at += token.length
    return token
  }
  // The text is known to be valid JSON, so nothing below checks for errors.
  const value = (path: ReadonlyArray<string>): void => {
    take(blank)
    const first = text[at]
    if (first === "{" || first === "[") {
      const close = first === "{" ? "}" : "]"
      at++
      take(blank)
      let comma = at
      for (let index = 0; text[at] !== close; index++) {
        let name = String(index)
        if (first === "{") {
          name = JSON.parse(take(quoted)) as string
          take(blank)
          at++
        }
        value([...path, name])
        if (index > 0) onItem({ path, start: from + comma, end: from + at })
        take(blank)
        comma = at
        if (text[at] === ",") at++
        take(blank)
      }
      at++
    } else {
      const start = at
      take(first === '"' ? quoted : scalar)
      allLeaves.push({ path, start: from + start, end: from + at })
    }
  }
  value(above)
  return allLeaves
}
