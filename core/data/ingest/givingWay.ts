/** Keeps the server at work while an answer of it is read. */
import { Effect } from "effect"

/** Lets the next statement of the transaction go out before the many rows of this one's answer are worked through. */
export const givingWay = <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.tap(statement, () => Effect.yieldNow)
