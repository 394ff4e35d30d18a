/** Background work that never ends. Every loop of the service goes through here, so none can die unnoticed. */
import { Cause, Clock, Duration, Effect } from "effect"
import { minute } from "../plugin/time.ts"

export interface Waits {
  /** Delay after a successful round; absent if the work itself waits, e.g. on a queue. */
  readonly every?: Duration.Input
  /** Delay after a failed round. Default: `every`. */
  readonly afterFailure: Duration.Input
}

/** How often to log that rounds go on failing. Milliseconds. */
const logEvery = minute

/**
 * Repeats `work` after each delay until interrupted. If a round fails, dies or interrupts itself, logs the full cause and
 * continues with the next round. Rounds that go on failing in the same way are logged once a minute, and so is that they no longer fail.
 */
export const loop = <A, E, R>(
  name: string,
  waits: Duration.Input | Waits,
  work: Effect.Effect<A, E, R>
): Effect.Effect<never, never, R> => {
  const { afterFailure, every } = isWaits(waits) ? waits : { afterFailure: waits, every: waits }
  const failed = `${name} failed; retrying in ${Duration.format(Duration.fromInputUnsafe(afterFailure))}`
  let failures = 0
  let unlogged = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  let logged = ""
  const noteFailure = (cause: Cause.Cause<E>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      failures += 1
      unlogged += 1
      const failure = String(Cause.squash(cause))
      if (failure === logged && now - loggedAt < logEvery) return Effect.void
      logged = failure
      loggedAt = now
      unlogged = 0
      return Effect.logError(failed, ...(failures === 1 ? [] : [{ failures }]), cause)
    })
  const noteSuccess = Effect.suspend(() => {
    const wereUnlogged = unlogged > 0
    const round = { failures }
    failures = 0
    unlogged = 0
    loggedAt = Number.NEGATIVE_INFINITY
    return wereUnlogged ? Effect.logInfo(`${name} works again`, round) : Effect.void
  })
  return work.pipe(
    // Interrupting this fiber still works: only causes from the work itself are caught.
    Effect.matchCauseEffect({
      onFailure: (cause) =>
        // A throwing logger must not end the loop either.
        Effect.as(Effect.ignoreCause(noteFailure(cause)), afterFailure),
      onSuccess: () =>
        failures === 0 ? Effect.succeed(every) : Effect.as(Effect.ignoreCause(noteSuccess), every)
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
