/** The demo's players: every plugin that runs by itself and has an `ok` case, with its reel. */
import { join } from "node:path"
import { Effect } from "effect"
import { targetsOf } from "../../core/catalog/Catalog.ts"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import type { Target } from "../../core/plugin/Upstream.ts"
import * as CodeHash from "../collector/codeHash.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import * as PlanFile from "./Plan.ts"
import { timesOnly } from "./propose.ts"
import { type Reel, reel } from "./tape.ts"

export interface Player {
  readonly plugin: Plugin
  readonly reel: Reel
  readonly origin: "captured" | "written"
  readonly codeHash: string
}

/** Targets of a case that the catalog still gives the plugin: rows of the others would be refused. */
const stillAsked = ({ manifest }: Plugin, recorded: ReadonlyArray<Target>): ReadonlyArray<Target> => {
  const given = new Set(targetsOf(manifest.covers).map(({ symbol }) => symbol))
  return recorded.filter(({ symbol }) => given.has(symbol))
}

/** Reads a plugin's `ok` case and its plan; fails where the case cannot be used. */
export const player = Effect.fn("Demo.player")(function* (plugin: Plugin, from: string = Fixtures.root) {
  const { id } = plugin.manifest
  const place = join(from, id, "ok")
  const { recording, tape: recorded } = yield* Fixtures.load(place)
  const tape = { ...recorded, targets: stillAsked(plugin, recorded.targets) }
  const names = recording.exchanges.map(({ name }) => name)
  const plan = (yield* PlanFile.load(place)) ?? timesOnly(tape, names)
  const sources = [...(yield* CodeHash.own(id)), ...(yield* CodeHash.shared)]
  return {
    plugin,
    reel: reel(id, tape, names, plan),
    origin: recording.origin,
    codeHash: CodeHash.codeHash(sources, tape.settings)
  } satisfies Player
})
