/** Waiting for what another program does. */
import { Effect } from "effect"

/** Waits until `probe` gives a value. */
export const until = <A>(probe: () => A | undefined | false): Effect.Effect<A> =>
  Effect.flatMap(Effect.sync(probe), (value) =>
    value === undefined || value === false
      ? Effect.andThen(Effect.sleep("50 millis"), until(probe))
      : Effect.succeed(value)
  )
