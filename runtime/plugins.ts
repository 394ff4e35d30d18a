/** The plugins are the folders of `plugins/`: there is no list to keep. */
import { readdir } from "node:fs/promises"
import { Effect, Schema } from "effect"
import type { Plugin } from "../core/plugin/Plugin.ts"

/** The folder of all plugins. */
export const root = new URL("../plugins/", import.meta.url)

/** Names of the plugin folders, sorted. */
export const names = (from: URL = root): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(() => readdir(from, { withFileTypes: true })).pipe(
    Effect.map((entries) =>
      entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort()
    )
  )

/** Imports one plugin; a folder without a default export is a defect of the build. */
export const load = (name: string, from: URL = root): Effect.Effect<Plugin> =>
  Effect.promise(
    async () => ((await import(new URL(`${name}/index.ts`, from).href)) as { default: Plugin }).default
  )

/** All plugins, sorted by name. */
export const all = (from: URL = root): Effect.Effect<ReadonlyArray<Plugin>> =>
  Effect.flatMap(names(from), (found) =>
    Effect.forEach(found, (name) => load(name, from), { concurrency: "unbounded" })
  )

/** A name that no folder of `plugins/` has. */
export class PluginUnknown extends Schema.TaggedError<PluginUnknown>()("PluginUnknown", {
  message: Schema.String
}) {}

/** The plugin of that name, or an error that lists the names there are. */
export const find = (name: string, from: URL = root): Effect.Effect<Plugin, PluginUnknown> =>
  Effect.flatMap(names(from), (known) =>
    known.includes(name)
      ? load(name, from)
      : Effect.fail(new PluginUnknown({ message: `no plugin ${name}; there are: ${known.join(", ")}` }))
  )
