/** `plugin check`: every rule of a plugin, in one list of findings. */
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { Effect } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import * as Fixtures from "../fixtures.ts"
import * as Plugins from "../plugins.ts"
import { brokenFindings, caseFindings } from "./cases.ts"
import * as Coverage from "./coverage.ts"
import { type Finding, wrong } from "./Finding.ts"
import { manifestFindings } from "./manifest.ts"
import { readmeFindings } from "./readme.ts"
import { type SourceFile, sourceFindings } from "./source.ts"

/** Where plugins and their cases stand. */
export interface Places {
  readonly plugins: URL
  /** Path of the folder of all cases. */
  readonly fixtures: string
}

/** Those of this repository. */
export const here: Places = { plugins: Plugins.root, fixtures: Fixtures.root }

const read = (file: URL): Effect.Effect<string | undefined> =>
  Effect.promise(() => readFile(file, "utf8").catch(() => undefined))

const sourcesOf = (folder: URL): Effect.Effect<ReadonlyArray<SourceFile>> =>
  Effect.promise(async () => {
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts")).sort()
    return Promise.all(
      names.map(async (name) => ({ name, text: await readFile(new URL(name, folder), "utf8") }))
    )
  })

const isPlugin = (loaded: unknown): loaded is Plugin =>
  typeof loaded === "object" && loaded !== null && "manifest" in loaded && "collect" in loaded

/** The plugin, or why its module can not be used. */
const load = (name: string, places: Places): Effect.Effect<Plugin, string> =>
  Effect.tryPromise({
    try: async () => {
      const module: { readonly default?: unknown } = await import(
        new URL(`${name}/index.ts`, places.plugins).href
      )
      return module.default
    },
    catch: (error) =>
      `index.ts can not be imported: ${error instanceof Error ? error.message : String(error)}`
  }).pipe(
    Effect.flatMap((loaded) =>
      isPlugin(loaded)
        ? Effect.succeed(loaded)
        : Effect.fail("index.ts has no default export of Plugin.define")
    )
  )

/** All findings for the plugin in the folder `name`. The broken payloads, the slow part, can be left out. */
export const check = Effect.fn("Check.check")(function* (
  name: string,
  places: Places = here,
  { broken = true }: { readonly broken?: boolean } = {}
) {
  const folder = new URL(`${name}/`, places.plugins)
  const readme = readmeFindings(yield* read(new URL("README.md", folder)))
  if (!existsSync(new URL("index.ts", folder))) {
    return [wrong("source", "there is no index.ts", `npx plumbline plugin new ${name}`), ...readme]
  }
  const source = sourceFindings(yield* sourcesOf(folder))
  const plugin = yield* Effect.result(load(name, places))
  if (plugin._tag === "Failure") return [wrong("source", plugin.failure, "mend it"), ...source, ...readme]
  const table = yield* read(new URL("README.md", places.plugins))
  const line = Coverage.row(yield* Coverage.entry(plugin.success, places.fixtures))
  const found: ReadonlyArray<Finding> = [
    ...manifestFindings(name, plugin.success.manifest),
    ...source,
    ...readme,
    ...(yield* caseFindings(plugin.success, places.fixtures)),
    ...(broken ? yield* brokenFindings(plugin.success, places.fixtures) : []),
    ...(table?.includes(line) === true
      ? []
      : [wrong("plugins/README.md", "its row is not up to date", "npm run readme")])
  ]
  return found
})
