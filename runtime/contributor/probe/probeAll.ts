/** Probes several plugins, those that share a host one after the other, and remembers what is done. */
import { Effect } from "effect"
import type { Plugin } from "../../../core/plugin/Plugin.ts"
import { hostGroups } from "../../cluster/hostGroups.ts"
import type { Probed } from "./Probed.ts"
import { type Around, probe } from "./probe.ts"
import * as StateFile from "./stateFile.ts"

/** Plugins that run at the same time. None of them share a host, so none waits for another's pace. */
const atOnce = 4

export interface Options extends Around {
  readonly stateFile: string
  /** True if local programs stand in for upstreams; results of the other kind in the state file are not used. */
  readonly mapped: boolean
  /** Called for each plugin that is done, with how many are. */
  readonly onDone: (probed: Probed, done: number) => Effect.Effect<void>
}

/** Results in the order of the plugins. The state file is removed at the end. */
export const probeAll = Effect.fn("Probe.probeAll")(function* (
  plugins: ReadonlyArray<Plugin>,
  options: Options
) {
  const results = new Map(
    [...(yield* StateFile.read(options.stateFile))].filter(([, { mapped }]) => mapped === options.mapped)
  )
  const byId = new Map(plugins.map((plugin) => [plugin.manifest.id, plugin]))
  let done = plugins.filter(({ manifest }) => results.has(manifest.id)).length
  const one = Effect.fnUntraced(function* (id: string) {
    const plugin = byId.get(id)
    if (plugin === undefined || results.has(id)) return
    const probed = yield* probe(plugin, options)
    yield* StateFile.append(options.stateFile, probed)
    results.set(id, probed)
    done++
    yield* options.onDone(probed, done)
  })
  yield* Effect.forEach(
    hostGroups(plugins.map(({ manifest }) => manifest)),
    (group) => Effect.forEach(group, one, { discard: true }),
    { concurrency: atOnce, discard: true }
  )
  yield* StateFile.remove(options.stateFile)
  return plugins.flatMap(({ manifest }) => results.get(manifest.id) ?? [])
})
