/** The leaves of an XML text. */
import { parseXml, type XmlElement, XmlError } from "@rgrove/parse-xml"
import type { Leaf } from "./Leaf.ts"

/** The root of an XML text; undefined for any other text. */
export const rootOf = (text: string): XmlElement | undefined => {
  if (!text.trimStart().startsWith("<")) return undefined
  try {
    return parseXml(text).root ?? undefined
  } catch (error) {
    if (error instanceof XmlError || error instanceof RangeError) return undefined
    throw error
  }
}

/** What is no element and has no leaves, the end of an element, and its start with its attributes. */
const token =
  /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<\?[\s\S]*?\?>|<!DOCTYPE[^>]*>|<\/[^>]*>|<(?<name>[^\s/>]+)(?<attributes>(?:[^"'>]|"[^"]*"|'[^']*')*)>/g

const attribute = /\s+(?<name>[^\s=]+)\s*=\s*(?<quoted>"[^"]*"|'[^']*')/g

/** An element that is open: its path, where its tag begins and ends, and whether others stand in it. */
interface Open {
  readonly path: ReadonlyArray<string>
  readonly start: number
  readonly inner: number
  readonly names: Map<string, number>
}

/**
 * Attributes and texts of elements without others, in the order of the text; an element that repeats has its number in the path. The
 * text is XML.
 */
export const xmlLeaves = (text: string): ReadonlyArray<Leaf> => {
  const all: Array<Leaf> = []
  const open: Array<Open> = []
  for (const { 0: tag, groups, index } of text.matchAll(token)) {
    const end = index + tag.length
    if (tag.startsWith("</")) {
      const element = open.pop()
      if (element === undefined || element.names.size > 0) continue
      const { inner, path, start } = element
      all.push({ path, start: inner, end: index, whole: { start, end } })
      continue
    }
    const { attributes, name } = groups ?? {}
    if (name === undefined || attributes === undefined) continue
    const above = open.at(-1)
    const nth = above?.names.get(name) ?? 0
    above?.names.set(name, nth + 1)
    const path = above === undefined ? [] : [...above.path, name, ...(nth === 0 ? [] : [String(nth)])]
    const from = index + 1 + name.length
    all.push(...attributesIn(attributes, from, path))
    if (!tag.endsWith("/>")) open.push({ path, start: index, inner: end, names: new Map() })
  }
  return all
}

const attributesIn = (text: string, from: number, path: ReadonlyArray<string>): ReadonlyArray<Leaf> =>
  [...text.matchAll(attribute)].map(({ 0: all, groups, index }) => {
    const { name = "", quoted = "" } = groups ?? {}
    const end = from + index + all.length
    return {
      path: [...path, name],
      start: end - quoted.length + 1,
      end: end - 1,
      whole: { start: from + index, end }
    }
  })
