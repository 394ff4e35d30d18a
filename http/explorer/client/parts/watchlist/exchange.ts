/** A watchlist as a link and as a file: the ways from one browser to another. */
import { type Watched, watchedText } from "../../../html/watch.ts"
import { entriesOf } from "./entries.ts"

/** Characters of a file that is read: a full list has less than a tenth of them. */
export const mostText = 500_000

const version = 1

/** The list as a file. */
export const fileOf = (entries: ReadonlyArray<Watched>): string =>
  `${JSON.stringify({ plumbline_watchlist: version, entries: entries.map(watchedText) }, undefined, 2)}\n`

type Read = ReturnType<typeof entriesOf>

/** The list of a file; a text says what is wrong with it. */
export const readFile = (text: string): Read | string => {
  try {
    const file: unknown = JSON.parse(text)
    if (typeof file !== "object" || file === null || !("plumbline_watchlist" in file) || !("entries" in file))
      return "This file is no watchlist: plumbline_watchlist or entries is missing."
    if (file.plumbline_watchlist !== version)
      return `This file has version ${String(file.plumbline_watchlist).slice(0, 20)} of a watchlist; this page reads version ${version}.`
    return entriesOf(file.entries)
  } catch {
    return "This file is not JSON."
  }
}

/** The list as a link. What follows `#` stays in the browser that opens it. */
export const linkOf = (entries: ReadonlyArray<Watched>): string => {
  const parts = entries.map(({ metric, symbol }) =>
    [symbol, ...(metric === undefined ? [] : [metric])].map(encodeURIComponent).join("/")
  )
  return `${location.origin}/watchlist#${parts.join(",")}`
}

/** The list of what follows `#` in a link; undefined where nothing does. */
export const readLink = (hash: string): Read | undefined => {
  const text = hash.replace(/^#/, "")
  if (text === "" || text.length > mostText) return undefined
  return entriesOf(text.split(",").map(decoded))
}

/** The text of a part of a link; as it is where it cannot be decoded, which no entry then is. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
