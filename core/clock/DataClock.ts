/** The clock of the data. Ages, windows and schedules use it; keys, quotas and signatures use the wall clock. */
import { Clock, Context, Effect } from "effect"

/** Milliseconds to add to the wall clock; 0 in live mode. */
export const offset = Context.Reference<number>("core/clock/DataClock/offset", { defaultValue: () => 0 })

/** The time at which an answer stands, if it is an earlier one (`core/readings/read/asKnownAt.ts`); epoch milliseconds. */
export const knownAt = Context.Reference<number | undefined>("core/clock/DataClock/knownAt", {
  defaultValue: () => undefined
})

/** Epoch milliseconds of the data clock; it stands still in an answer of an earlier time. */
export const now: Effect.Effect<number> = Clock.clockWith((clock) =>
  Effect.flatMap(knownAt, (then) =>
    then === undefined
      ? Effect.map(offset, (ahead) => clock.currentTimeMillisUnsafe() + ahead)
      : Effect.succeed(then)
  )
)
