/** Background work that never ends. Every loop of the service goes through here, so none can die unnoticed. */
import { Duration, Effect } from "effect"

export interface Waits {
  /** Delay after a successful round; absent if the work itself waits, e.g. on a queue. */
  readonly every?: Duration.Input
  /** Delay after a failed round. Default: `every`. */
  readonly afterFailure: Duration.Input
}

/**
 * Repeats `work` after each delay until interrupted. If a round fails, dies or interrupts itself, logs the full cause and
 * continues with the next round.
 */
export const loop = <A, E, R>(
  name: string,
  waits: Duration.Input | Waits,
  work: Effect.Effect<A, E, R>
): Effect.Effect<never, never, R> => {
  const { afterFailure, every } = isWaits(waits) ? waits : { afterFailure: waits, every: waits }
  const failed = `${name} failed; retrying in ${Duration.format(Duration.fromInputUnsafe(afterFailure))}`
  return work.pipe(
    // Interrupting this fiber still works: only causes from the work itself are caught.
    Effect.matchCauseEffect({
      onFailure: (cause) =>
        // A throwing logger must not end the loop either.
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
