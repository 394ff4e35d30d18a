/** Loads a plugin from elsewhere: its `plugin.json`, and beside it the code of its own, which runs in a process of its own. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { bySymbol, refusalOfLine } from "../../core/catalog/Catalog.ts"
import { type ReadDeclaration, readDeclaration } from "../../core/plugin/declaration.ts"
import { type Collect, define, type Plugin } from "../../core/plugin/Plugin.ts"
import { declare } from "../../core/plugin/shapes/declare.ts"
import { filesOfFolder } from "./folder.ts"
import { inChild } from "./inChild.ts"
import { giveModules } from "./ownModules.ts"

/** The file of the code in a folder, if it has one. */
export const entryIn = (folder: URL): URL | undefined =>
  ["index.ts", "index.js"].map((name) => new URL(name, folder)).find((file) => existsSync(file))

const jsonAt = async (file: URL): Promise<unknown> => {
  const text = await readFile(file, "utf8")
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${fileURLToPath(file)} is no JSON: ${String(error)}`)
  }
}

/** What the catalog says against the plugin; undefined if nothing. */
const unlisted = async (
  folder: URL,
  { covers }: ReadDeclaration["declared"]
): Promise<string | undefined> => {
  const file = new URL("network.json", folder)
  const line = existsSync(file) ? await jsonAt(file) : undefined
  const refusal = line === undefined ? undefined : refusalOfLine(line)
  if (refusal !== undefined) return `network.json: ${refusal}`
  if ("sector" in covers) {
    const network = covers.symbols.find((symbol) => bySymbol.has(symbol))
    return network === undefined ? undefined : `${network} is a network, and no symbol of a sector`
  }
  const missing = ("networks" in covers ? covers.networks : []).find((symbol) => !bySymbol.has(symbol))
  return missing === undefined
    ? undefined
    : `${missing} is not in the catalog; network.json beside plugin.json can say what it is`
}

/** The declaration in a folder. Throws in words where it is none, or where the folder holds what it must not. */
export const declarationIn = async (folder: URL): Promise<ReadDeclaration> => {
  await filesOfFolder(fileURLToPath(folder))
  const read = readDeclaration(await readFile(new URL("plugin.json", folder), "utf8"))
  if (typeof read === "string") throw new Error(read)
  const problem = await unlisted(folder, read.declared)
  if (problem !== undefined) throw new Error(problem)
  if (read.answers !== undefined && entryIn(folder) !== undefined)
    throw new Error("plugin.json has answers, and index beside it would read them: keep one")
  if (read.answers === undefined && entryIn(folder) === undefined)
    throw new Error("plugin.json has no answers, and there is no index.ts or index.js that reads them")
  return read
}

const notReviewed = (plugin: Plugin): Plugin => ({
  ...plugin,
  manifest: { ...plugin.manifest, reviewed: false }
})

/** The plugin that data alone declares. */
export const declared = ({ answers = [], declared }: ReadDeclaration): Plugin =>
  notReviewed(declare({ ...declared, answers }))

/** The same for its author, who is still writing it: its code runs here. Another `edition` reads the code anew. */
export const readFromElsewhere = async (folder: URL, edition = ""): Promise<Plugin> =>
  readWritten(await declarationIn(folder), folder, edition)

/** What a declaration and the code beside it are, whatever the catalog says. */
export const readWritten = async (read: ReadDeclaration, folder: URL, edition = ""): Promise<Plugin> => {
  const entry = entryIn(folder)
  if (entry === undefined) return declared(read)
  giveModules(folder.href)
  entry.search = edition
  const { default: collect } = (await import(entry.href)) as { readonly default?: unknown }
  if (typeof collect !== "function") throw new Error("its default export is not a function")
  return notReviewed(define({ ...read.declared, collect: collect as Collect }))
}

/** The plugin in a folder. Its code, if it has any, runs in another process with each run. */
export const loadFromElsewhere = async (folder: URL): Promise<Plugin> => {
  const read = await declarationIn(folder)
  const entry = entryIn(folder)
  if (entry === undefined) return declared(read)
  const manifest = read.declared
  return notReviewed({ manifest, collect: inChild(manifest, folder, entry) })
}
