/** How long work takes by the clock of this machine, whatever the time of a campaign is. */
import { Effect } from "effect"

/** Seconds. */
export const timed = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const from = performance.now()
    return Effect.map(work, () => (performance.now() - from) / 1000)
  })
