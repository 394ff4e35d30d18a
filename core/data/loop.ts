/** Background work that never ends. Every loop of the service is made here, so that none can die unseen. */
import { Duration, Effect } from "effect"

export interface Waits {
  /** From the end of a round to the next; none where the work waits by itself, for a queue say. */
  readonly every?: Duration.Input
  /** From a round that failed to the next. Default: `every`. */
  readonly afterFailure: Duration.Input
}

/**
 * Does `work` now and again after each wait, until it is interrupted. Whatever ends a round, a failure, a defect or an
 * interruption of its own, is logged with its whole cause, and the next round comes all the same.
 */
export const loop = <A, E, R>(
  name: string,
  waits: Duration.Input | Waits,
  work: Effect.Effect<A, E, R>
): Effect.Effect<never, never, R> => {
  const { afterFailure, every } = isWaits(waits) ? waits : { afterFailure: waits, every: waits }
  const failed = `${name} failed; trying again in ${Duration.format(Duration.fromInputUnsafe(afterFailure))}`
  return work.pipe(
    // An interruption of this fiber comes past here: only what the work itself met is caught.
    Effect.matchCauseEffect({
      onFailure: (cause) =>
        // A logger that throws must not end the loop either.
        Effect.as(Effect.ignoreCause(Effect.logError(failed, cause)), afterFailure),
      onSuccess: () => Effect.succeed(every)
    }),
    Effect.flatMap((wait) => (wait === undefined ? Effect.void : Effect.sleep(wait))),
    // biome-ignore lint/plugin/loop: this is the loop of all others
    Effect.forever
  )
}

/** The same in the background, until the scope ends. */
export const inBackground = <A, E, R>(
  name: string,
  waits: Duration.Input | Waits,
  work: Effect.Effect<A, E, R>
) => Effect.forkScoped(loop(name, waits, work))

const isWaits = (waits: Duration.Input | Waits): waits is Waits =>
  typeof waits === "object" && "afterFailure" in waits
