/**
 * Networks with a file of their own, `networks/<category>/<symbol>.json`: how a branch adds one, so that two branches never meet in one
 * line. Main gathers them in the file of their category, and the files of a run stay a hundred and not a thousand.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import type { Category } from "../plugin/kinds.ts"

/** The folder of the catalog's files. */
export const networksFolder = new URL("networks/", import.meta.url)

/** The file of a network that is added. */
export const fileOf = (category: Category, symbol: string, folder: URL = networksFolder): URL =>
  new URL(`${category}/${encodeURIComponent(symbol)}.json`, folder)

/** The files of the networks that were added to a category, by name. */
export const addedTo = (category: Category, folder: URL = networksFolder): ReadonlyArray<URL> => {
  const own = new URL(`${category}/`, folder)
  return existsSync(own)
    ? readdirSync(own)
        .filter((name) => name.endsWith(".json"))
        .toSorted()
        .map((name) => new URL(encodeURIComponent(name), own))
    : []
}

/** The lines of a category: those that are gathered and those that were added, in order. */
export const linesOf = <Line extends { readonly symbol: string }>(
  category: Category,
  gathered: ReadonlyArray<Line>,
  folder: URL = networksFolder
): ReadonlyArray<Line> => {
  const added = addedTo(category, folder).map((file) => JSON.parse(readFileSync(file, "utf8")) as Line)
  return added.length === 0 ? gathered : [...gathered, ...added].toSorted(bySymbolOf)
}

/** The order of networks in a file: by symbol, whatever its case. */
export const bySymbolOf = (a: { readonly symbol: string }, b: { readonly symbol: string }): number => {
  const [one, other] = [a.symbol.toUpperCase(), b.symbol.toUpperCase()]
  return one < other ? -1 : one > other ? 1 : 0
}
