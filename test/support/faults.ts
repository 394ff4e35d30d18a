/** Faults between any two statements: the n-th statement of an effect is not sent, as if its connection had died. */
import { Effect } from "effect"
import { CurrentTransformer } from "effect/sql/Statement"

export class Fault extends Error {
  override readonly name = "Fault"
}

/**
 * Runs an effect whose statement number `at` (from 0) dies before it is sent; without `at` it runs whole. What a service
 * does between two statements is cut there: the transaction in hand must roll back, one that was committed stays.
 */
export const cutAt =
  (at: number | undefined) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    if (at === undefined) return self
    let index = 0
    return Effect.provideService(self, CurrentTransformer, (statement) =>
      index++ === at ? Effect.die(new Fault()) : Effect.succeed(statement)
    )
  }
