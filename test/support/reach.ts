/** Which test files a change can reach, by what files import, name as a URL of a module, or start as a process. */
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

export const top = new URL("../..", import.meta.url).pathname

const sources = ["core", "http", "mcp", "plugins", "runtime", "test"].map((room) => `${room}/**/*.{ts,js}`)

/** The program of the command line: its commands are loaded when they are called, and a test that starts it may call any. */
const commandLine = "runtime/bin.ts"

/** Imports of types are gone at run time; the compiler checks them. */
const withoutTypes = (code: string): string =>
  code
    .split(/(?=^(?:import|export)\b)/m)
    .filter((part) => !/^(?:import|export) type\b[^;]*?from/.test(part))
    .join("\n")

/** Where a specifier leads from a file, from the top. `#plugin` is of the imports of package.json. */
const targetOf = (path: string, specifier: string): string =>
  specifier === "#plugin"
    ? "core/plugin/index.ts"
    : specifier.startsWith("#plugin/")
      ? `core/plugin/shapes/${specifier.slice("#plugin/".length)}.ts`
      : relative(top, join(top, dirname(path), specifier))

/** Files that a file needs when it runs. */
const neededBy = (path: string, text: string): ReadonlySet<string> => {
  const code = withoutTypes(text)
  const imported = [
    ...code.matchAll(/(?:from|import)\s*\(?\s*"((?:\.|#plugin)[^"]*)"/g),
    ...code.matchAll(/new URL\(\s*[`"]([^`"$]+)[`"]\s*,\s*import\.meta\.url/g)
  ].map(([, specifier = ""]) => targetOf(path, specifier))
  const named = [...code.matchAll(/"((?:core|http|mcp|plugins|runtime|test)\/[\w./-]+\.\w+)"/g)].map(
    ([, name = ""]) => name
  )
  const started =
    path.startsWith("test/") && /plumbline\.js|runtime\/bin\.ts|support\/plumbline/.test(code)
      ? [commandLine]
      : []
  return new Set([...imported, ...named.filter((name) => existsSync(join(top, name))), ...started])
}

const readsPlugins = (text: string): boolean => /readdir|glob/.test(text) && text.includes("plugins")

export interface Graph {
  readonly files: ReadonlySet<string>
  /** Those that need a file, by the file. */
  readonly needing: ReadonlyMap<string, ReadonlySet<string>>
  /** Those that find plugins by their folder, which no import shows. */
  readonly byFolder: ReadonlyArray<string>
}

/** Reads the tree as it is now; half a second. */
export const readGraph = (): Graph => {
  const files = globSync(sources, { cwd: top }).filter((path) => !path.includes("node_modules"))
  const needing = new Map<string, Set<string>>()
  const byFolder: Array<string> = []
  for (const path of files) {
    const text = readFileSync(join(top, path), "utf8")
    if (readsPlugins(text)) byFolder.push(path)
    for (const needed of neededBy(path, text)) {
      const others = needing.get(needed) ?? new Set()
      needing.set(needed, others.add(path))
    }
  }
  return { files: new Set(files), needing, byFolder }
}

const rooted = (path: string, room: string) => path === room || path.startsWith(`${room}/`)

/** All files that a change of these paths can reach, themselves included. */
export const filesReached = (
  { byFolder, needing }: Graph,
  changed: ReadonlyArray<string>
): ReadonlySet<string> => {
  const reached = new Set(changed)
  if (changed.some((path) => rooted(path, "plugins") || rooted(path, "fixtures")))
    for (const path of byFolder) reached.add(path)
  // A set is walked in the order of its entries, those added on the way included.
  for (const path of reached) for (const other of needing.get(path) ?? []) reached.add(other)
  return reached
}

/** The test files that a change of these paths can reach, sorted. A test that changed itself is among them. */
export const testsReached = (graph: Graph, changed: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...filesReached(graph, changed)]
    .filter((path) => graph.files.has(path) && path.endsWith(".test.ts"))
    .sort()
