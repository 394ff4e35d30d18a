/** The service as layers: each stands on those below it. `main.ts` starts it. */
import { Effect, Layer } from "effect"
import { closeRows } from "../../core/log/leaves.ts"
import { chunkRows } from "../../core/readings/ingest/Registry.ts"
import { ProvedSeries } from "../../core/readings/read/ProvedSeries.ts"
import { collecting } from "../cluster/collecting.ts"
import { happen } from "../demo/pastEvents.ts"
import * as Pins from "../demo/pins.ts"
import * as Progress from "../demo/progress.ts"
import * as Seats from "../demo/seats/seats.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"
import { core, recovered } from "./core.ts"
import { faces } from "./faces.ts"
import { feedEvidence } from "./feedEvidence.ts"
import { liveFeeds, replayFeeds } from "./feeds.ts"
import { jobs } from "./jobs.ts"
import { lookingAgain } from "./lookingAgain.ts"
import { rotateLog } from "./newKeys.ts"
import { drawing } from "./notarising.ts"
import { persistence } from "./persistence.ts"
import { Readiness } from "./Readiness.ts"

const collectingService = (mode: "live" | "mapped") =>
  Layer.merge(jobs, lookingAgain({ draws: mode === "live" })).pipe(
    Layer.provideMerge(faces(mode)),
    Layer.provideMerge(core(mode, Layer.merge(collecting, drawing))),
    Layer.provideMerge(liveFeeds),
    Layer.provideMerge(feedEvidence),
    Layer.provideMerge(persistence(mode))
  )

/** The live service. Data that it reads through `UPSTREAM_MAP` stays permanently marked. */
export const live = Layer.unwrap(
  Effect.gen(function* () {
    const { map, testMode } = yield* Settings
    if (testMode.keys === "test") {
      return yield* new SettingsError({
        message:
          "TEST_MODE needs serve --replay: what is sold in test mode is simulated; add --replay, or unset TEST_MODE"
      })
    }
    return collectingService(map.size > 0 ? "mapped" : "live")
  })
)

/** The past of a demo is many rows, which nobody waits behind: longer transactions take less time in all. */
const longTransactions = Layer.merge(Layer.succeed(chunkRows, 3000), Layer.succeed(closeRows, 3000))

/** What chains prove is counted once the demo's past is told: at its start there is nothing to count, and the next count is minutes away. */
const countedProofs = Layer.effectDiscard(
  Effect.gen(function* () {
    const { past } = yield* Readiness
    const { refresh } = yield* ProvedSeries
    yield* Effect.forkScoped(Effect.andThen(past, Effect.orDie(refresh)))
  })
)

/** The demo: the same service over recordings instead of upstreams. */
export const replay = Layer.effectDiscard(
  happen({ onClosed: Progress.closed, rotateLog: (at) => Effect.andThen(rotateLog(at), Pins.print) })
).pipe(
  Layer.merge(countedProofs),
  Layer.provideMerge(jobs),
  Layer.provideMerge(faces("replay")),
  Layer.provideMerge(core("replay", recovered)),
  Layer.provideMerge(replayFeeds),
  Layer.provideMerge(Seats.layer),
  Layer.provideMerge(persistence("replay")),
  // Below the database: a server takes longer ones anyway.
  Layer.provideMerge(longTransactions)
)
