/** All plugins and their sound cases, loaded and replayed once by each test process for all rules that look at them. */
import { join } from "node:path"
import { Effect } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Expected } from "../../core/plugin/Recording.ts"
import * as Plugins from "../../runtime/collector/plugins.ts"
import * as Fixtures from "../../runtime/contributor/fixtures.ts"
import type { Tape } from "../../runtime/upstream/replay.ts"
import { triedOf } from "./onlyPlugins.ts"

export const plugins: ReadonlyArray<Plugin> = await Effect.runPromise(Plugins.all())

const tried = new Set(triedOf(plugins.map(({ manifest }) => manifest.id)))

/** Those that rules try one after the other. */
export const triedPlugins: ReadonlyArray<Plugin> = plugins.filter(({ manifest }) => tried.has(manifest.id))

/** The case `ok` of a plugin and what it gives unchanged. */
export interface SoundCase {
  readonly id: string
  readonly plugin: Plugin
  readonly tape: Tape
  readonly rows: Expected
}

const soundCaseOf = Effect.fn("soundCaseOf")(function* (plugin: Plugin) {
  const { id } = plugin.manifest
  const { tape } = yield* Fixtures.load(join(Fixtures.root, id, "ok"))
  return { id, plugin, tape, rows: yield* Fixtures.replay(plugin, tape) }
})

let replayed: Promise<ReadonlyArray<SoundCase>> | undefined

/** The sound case of every plugin that is tried, by id. Nobody changes them: a spoilt tape is a copy. */
export const soundCases = (): Promise<ReadonlyArray<SoundCase>> => {
  replayed ??= Effect.runPromise(Effect.forEach(triedPlugins, soundCaseOf))
  return replayed
}
