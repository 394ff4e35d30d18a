/** The files of the catalog: a new network has one of its own, and main gathers them. */
import { existsSync } from "node:fs"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { Effect } from "effect"
import { addedTo, bySymbolOf, fileOf, networksFolder } from "../../../core/catalog/added.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { onDisk } from "../../outside/disk.ts"

/** Writes the line of a network into a file of its own. False if there is one. */
export const addToCatalog = Effect.fn("Kit.addToCatalog")(function* (
  category: Category,
  symbol: string,
  line: string,
  folder: URL = networksFolder
) {
  const file = fileOf(category, symbol, folder)
  if (existsSync(file)) return false
  yield* onDisk(async () => {
    await mkdir(new URL(".", file), { recursive: true })
    await writeFile(file, `${line}\n`)
  })
  return true
})

/** Moves the networks that were added into the files of their categories, in order. Returns the files that changed. */
export const gather = Effect.fn("Kit.gather")(function* (folder: URL = networksFolder) {
  const changed: Array<string> = []
  for (const category of Category.literals) {
    const added = addedTo(category, folder)
    if (added.length === 0) continue
    const file = new URL(`${category}.json`, folder)
    yield* onDisk(async () => {
      const lines = [
        ...(await readFile(file, "utf8")).split("\n").filter((line) => line.startsWith("  {")),
        ...(await Promise.all(added.map((one) => readFile(one, "utf8")))).map((text) => `  ${text.trim()}`)
      ].map((line) => ({ line: line.replace(/,$/, ""), symbol: symbolIn(line) }))
      const sorted = lines.toSorted(bySymbolOf).map(({ line }) => line)
      await writeFile(file, `[\n${sorted.join(",\n")}\n]\n`)
      await rm(new URL(`${category}/`, folder), { recursive: true })
    })
    changed.push(`core/catalog/networks/${category}.json`)
  }
  return changed
})

const symbolIn = (line: string): string =>
  (JSON.parse(line.trim().replace(/,$/, "")) as { readonly symbol: string }).symbol
