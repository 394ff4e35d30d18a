/** Receives runs in the main thread and stores them. */
import { Effect, Queue } from "effect"
import { inBackground } from "../../core/process/loop.ts"
import type { Delivery } from "../../core/readings/ingest/Run.ts"

/** A run that a thread handed over. */
export interface ReceivedRun {
  readonly delivery: Delivery
  /** Lets the thread hand over one more. */
  readonly acknowledge: () => void
}

/** Passes runs to `deliver`, all at once. What cannot be stored is logged and lost; its thread continues. */
export const storeTogether = (
  arrived: ReadonlyArray<ReceivedRun>,
  deliver: (...deliveries: ReadonlyArray<Delivery>) => Effect.Effect<unknown>
): Effect.Effect<void> => {
  const runs = arrived.map(({ delivery }) => delivery.run)
  return deliver(...arrived.map(({ delivery }) => delivery)).pipe(
    Effect.asVoid,
    Effect.catchCause((cause) => Effect.logError("could not store a run", cause)),
    Effect.ensuring(
      Effect.sync(() => {
        for (const { acknowledge } of arrived) acknowledge()
      })
    ),
    Effect.annotateLogs({
      plugin: runs.map(({ plugin }) => plugin).join(" "),
      run: runs.map(({ id }) => id).join(" ")
    })
  )
}

/** Passes each run to `deliver`, one after the other. */
export const storeRuns = (
  inbox: Queue.Dequeue<ReceivedRun>,
  deliver: (delivery: Delivery) => Effect.Effect<unknown>
) =>
  inBackground(
    "receiving runs from a thread",
    { afterFailure: "1 second" },
    Effect.flatMap(Queue.take(inbox), (arrived) => storeTogether([arrived], deliver))
  )
