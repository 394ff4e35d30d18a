/** Receives runs in the main thread and stores them one after the other. */
import { Effect, Queue } from "effect"
import type { Delivery } from "../../core/data/ingest/Run.ts"
import { inBackground } from "../../core/data/loop.ts"

/** A run that a thread handed over. */
export interface Arrived {
  readonly delivery: Delivery
  /** Lets the thread hand over one more. */
  readonly taken: () => void
}

/** Passes each run to `deliver`. A run that cannot be stored is logged and lost; its thread continues. */
export const takeRuns = (
  inbox: Queue.Dequeue<Arrived>,
  deliver: (delivery: Delivery) => Effect.Effect<unknown>
) =>
  inBackground(
    "receiving runs from a thread",
    { afterFailure: "1 second" },
    Effect.flatMap(Queue.take(inbox), ({ delivery, taken }) =>
      deliver(delivery).pipe(
        Effect.catchCause((cause) => Effect.logError("could not store a run", cause)),
        Effect.ensuring(Effect.sync(taken)),
        Effect.annotateLogs({ plugin: delivery.run.plugin, run: delivery.run.id })
      )
    )
  )
