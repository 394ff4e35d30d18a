import { Duration, Effect } from "effect"

/** Turns of the thread in which an answer can be heard before its time is over. */
const turns = 20

/**
 * Fails with `orElse` after `limit`, of which only the time counts in which this thread could have heard an answer: while
 * the thread is late, because a plugin decodes a body or the machine has no core for it, a timer that is due fires before
 * the answer that waits in the socket is read. So one long wait is many short ones, and a late one counts as short as well.
 */
export const responsiveTimeout = <E2>(limit: Duration.Input, orElse: () => E2) => {
  const turn = Duration.toMillis(limit) / turns
  const over = Effect.andThen(
    Effect.repeat(Effect.sleep(turn), { times: turns - 1 }),
    Effect.failSync(orElse)
  )
  return <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | E2, R> => Effect.raceFirst(work, over)
}
