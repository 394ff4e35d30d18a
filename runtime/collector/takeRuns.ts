/** The main thread's end of the hand-over: keeps the runs of a thread, one after the other. */
import { Effect, Queue } from "effect"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import { inBackground } from "../../core/data/loop.ts"

/** A run that a thread handed over. */
export interface Arrived {
  readonly delivery: Delivery
  /** Lets the thread hand over one more. */
  readonly taken: () => void
}

/** Gives each run to `deliver`. One that cannot be kept is lost, and logged; its thread goes on in any case. */
export const takeRuns = (
  inbox: Queue.Dequeue<Arrived>,
  deliver: (delivery: Delivery) => Effect.Effect<unknown>
) =>
  inBackground(
    "taking the runs of a thread",
    { afterFailure: "1 second" },
    Effect.flatMap(Queue.take(inbox), ({ delivery, taken }) =>
      deliver(delivery).pipe(
        Effect.catchCause((cause) => Effect.logError("a run could not be kept", cause)),
        Effect.ensuring(Effect.sync(taken)),
        Effect.annotateLogs({ plugin: delivery.run.plugin, run: delivery.run.id })
      )
    )
  )
