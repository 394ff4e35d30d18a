/** How many statements an effect sends. */
import { Effect } from "effect"
import { CurrentTransformer } from "effect/sql/Statement"

/** The effect's result, and the number of statements that it sent. */
export const statementsOf = <A, E, R>(
  self: Effect.Effect<A, E, R>
): Effect.Effect<readonly [result: A, sent: number], E, R> =>
  Effect.suspend(() => {
    let count = 0
    return self.pipe(
      Effect.provideService(CurrentTransformer, (statement) => {
        count++
        return Effect.succeed(statement)
      }),
      Effect.map((result) => [result, count] as const)
    )
  })
