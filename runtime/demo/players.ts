/** The demo's players: every plugin that runs by itself and has an `ok` case, with its reel. */
import { join } from "node:path"
import { Effect } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import * as CodeHash from "../collector/codeHash.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import * as PlanFile from "../tape/Plan.ts"
import { type Reel, reel } from "../tape/tape.ts"
import { timesOnly } from "../tape/timesOnly.ts"

export interface Player {
  readonly plugin: Plugin
  readonly reel: Reel
  readonly origin: "captured" | "written"
  readonly codeHash: string
}

/** Reads a plugin's `ok` case and its plan; fails where the case cannot be used. */
export const player = Effect.fn("Demo.player")(function* (plugin: Plugin, from: string = Fixtures.root) {
  const { id } = plugin.manifest
  const place = join(from, id, "ok")
  const { recording, tape } = yield* Fixtures.load(place)
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
