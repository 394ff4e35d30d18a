/** Looks again at what callers and the daily lot ask for, of the feeds that this process collects. */
import { Effect, Layer } from "effect"
import { inBackground } from "../../core/process/loop.ts"
import type { RunNotes } from "../../core/readings/ingest/runs/notes.ts"
import { drawDue } from "../../core/readings/recheck/drawDue.ts"
import { keepRecheck, type Looked } from "../../core/readings/recheck/keepRecheck.ts"
import { Rechecks } from "../../core/readings/recheck/Rechecks.ts"
import { onDuty } from "../cluster/Duties.ts"
import { Collector } from "../collector/Collector.ts"
import { configured, noteStorage } from "./notarising.ts"

/** Runs at a time, of different plugins or targets: the rest of the collector's turn is for collecting. */
const atOnce = 2

const tookTooLong: Looked = { unreachable: "the upstream did not answer within 2 minutes" }

/** Makes the next run that is asked for, or waits until one is. */
const lookAgain = Effect.fnUntraced(function* (keepNotes: (notes: RunNotes) => Effect.Effect<void>) {
  const { take, nextRequest } = yield* Rechecks
  const collector = yield* Collector
  const task = yield* take(yield* collector.owned)
  if (task === undefined) return yield* nextRequest
  const looked = yield* collector
    .lookAgain(task.plugin, task.target ?? undefined)
    .pipe(Effect.timeoutOrElse({ duration: "2 minutes", orElse: () => Effect.succeed(tookTooLong) }))
  yield* keepRecheck(task, looked, keepNotes)
})

/** Without the lot where upstreams are stand-ins: what these say once more proves nothing. */
export const lookingAgain = ({ draws }: { readonly draws: boolean }) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const keepNotes = yield* noteStorage(yield* configured)
      for (let n = 1; n <= atOnce; n++)
        yield* inBackground("looking again", { afterFailure: "5 seconds" }, lookAgain(keepNotes))
      if (draws) yield* onDuty("the lot of series to look at again", "10 minutes", drawDue)
    })
  )
