/** Rules for the files of the catalog in which the networks of a plugin stand. */
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { addedTo, bySymbolOf, fileOf, networksFolder } from "../../../core/catalog/added.ts"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import type { Category } from "../../../core/plugin/kinds.ts"
import type { Manifest } from "../../../core/plugin/Manifest.ts"
import { onDisk } from "../../outside/disk.ts"
import { type Finding, wrong } from "./Finding.ts"

/** A network on a line, or why it is none. */
const parsed = (line: string): { readonly symbol: string } | undefined => {
  try {
    const value = JSON.parse(line.replace(/,$/, "")) as { readonly symbol?: unknown }
    return typeof value.symbol === "string" ? { symbol: value.symbol } : undefined
  } catch {
    return undefined
  }
}

/** Findings for the files of a category: one network on a line, by symbol, each once; one in each file of its own. */
export const categoryFindings = Effect.fn("Check.categoryFindings")(function* (
  category: Category,
  folder: URL = networksFolder
) {
  const place = `core/catalog/networks/${category}`
  const text = yield* onDisk(() => readFile(new URL(`${category}.json`, folder), "utf8"))
  const gathered = text.trimEnd().split("\n").slice(1, -1).map(parsed)
  const findings: Array<Finding> = []
  const refuse = (says: string, next: string) => findings.push(wrong("catalog", says, next))
  const odd = gathered.indexOf(undefined)
  if (odd >= 0)
    refuse(`${place}.json, line ${odd + 2}: no network on one line`, "write one network on a line")
  const rows = gathered.filter((row) => row !== undefined)
  for (const [n, row] of rows.entries()) {
    const before = rows[n - 1]
    if (before !== undefined && bySymbolOf(before, row) >= 0)
      refuse(
        `${place}.json: ${row.symbol} stands after ${before.symbol}`,
        `move ${row.symbol} to ${place}/${row.symbol}.json, or to its place in the order of symbols`
      )
  }
  for (const file of addedTo(category, folder)) {
    const row = parsed((yield* onDisk(() => readFile(file, "utf8"))).trim())
    const name = decodeURIComponent(file.href.slice(file.href.lastIndexOf("/") + 1))
    if (row === undefined || fileOf(category, row.symbol, folder).href !== file.href)
      refuse(`${place}/${name} is not the file of its network`, "name it by the symbol, and write one line")
    else if (rows.some(({ symbol }) => symbol.toUpperCase() === row.symbol.toUpperCase()))
      refuse(`${row.symbol} is in ${place}/${name} and in ${place}.json`, `remove ${place}/${name}`)
  }
  return findings
})

/** Findings for the categories of the networks that a plugin names. */
export const catalogFindings = ({ covers }: Manifest) => {
  const categories = new Set(
    "networks" in covers ? covers.networks.flatMap((symbol) => bySymbol.get(symbol)?.category ?? []) : []
  )
  return Effect.map(
    Effect.forEach([...categories], (category) => categoryFindings(category)),
    (all) => all.flat()
  )
}
