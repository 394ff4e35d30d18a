/** The demo's players: every plugin that runs by itself and has an `ok` case, with its reel. */
import { Effect } from "effect"
import type { Plugin } from "../../core/plugin/Plugin.ts"
import * as CodeHash from "../collector/codeHash.ts"
import * as Fixtures from "../contributor/fixtures.ts"
import { reelOf } from "../tape/reelOf.ts"
import type { Reel } from "../tape/tape.ts"

export interface Player {
  readonly plugin: Plugin
  readonly reel: Reel
  readonly origin: "captured" | "written"
  readonly codeHash: string
}

/** Reads a plugin's `ok` case and its plan; fails where the case cannot be used. */
export const player = Effect.fn("Demo.player")(function* (plugin: Plugin, from: string = Fixtures.root) {
  const { id } = plugin.manifest
  const { recording, reel, tape } = yield* reelOf(id, from)
  const sources = [...(yield* CodeHash.own(id)), ...(yield* CodeHash.shared)]
  return {
    plugin,
    reel,
    origin: recording.origin,
    codeHash: CodeHash.codeHash(sources, tape.settings)
  } satisfies Player
})
