/** A clock that is trusted, for what is tested with nothing to compare it with. */
import { Effect } from "effect"
import { TrustedClock } from "../../core/readings/TrustedClock.ts"

export const trustedClock = TrustedClock.of({
  trusted: Effect.succeed(true),
  doubt: Effect.succeed(undefined),
  stamp: (wall) => wall,
  confirm: Effect.succeed(undefined)
})
