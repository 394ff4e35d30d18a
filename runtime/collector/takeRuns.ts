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

/** Passes a run to `deliver`. One that cannot be stored is logged and lost; its thread continues. */
export const takeRun = (
  { delivery, taken }: Arrived,
  deliver: (delivery: Delivery) => Effect.Effect<unknown>
): Effect.Effect<void> =>
  deliver(delivery).pipe(
    Effect.asVoid,
    Effect.catchCause((cause) => Effect.logError("could not store a run", cause)),
    Effect.ensuring(Effect.sync(taken)),
    Effect.annotateLogs({ plugin: delivery.run.plugin, run: delivery.run.id })
  )

/** Passes each run to `deliver`, one after the other. */
export const takeRuns = (
  inbox: Queue.Dequeue<Arrived>,
  deliver: (delivery: Delivery) => Effect.Effect<unknown>
) =>
  inBackground(
    "receiving runs from a thread",
    { afterFailure: "1 second" },
    Effect.flatMap(Queue.take(inbox), (arrived) => takeRun(arrived, deliver))
  )
