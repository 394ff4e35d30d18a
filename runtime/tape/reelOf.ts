/** The reel of a plugin's case `ok`: with its plan, or with the times alone moved where it has none. */
import { join } from "node:path"
import { Effect } from "effect"
import * as Fixtures from "../contributor/fixtures.ts"
import * as PlanFile from "./Plan.ts"
import { reel } from "./tape.ts"
import { timesOnly } from "./timesOnly.ts"

/** Reads the case `ok` of the plugin `id` below the folder `from`; fails where it cannot be used. */
export const reelOf = Effect.fn("Tape.reelOf")(function* (id: string, from: string) {
  const place = join(from, id, "ok")
  const { recording, tape } = yield* Fixtures.load(place)
  const names = recording.exchanges.map(({ name }) => name)
  const plan = (yield* PlanFile.load(place)) ?? timesOnly(tape, names)
  return { recording, reel: reel(id, tape, names, plan), tape }
})
