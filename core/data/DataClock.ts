/** The clock of the data. Ages, windows and schedules use it; keys, quotas and signatures use the wall clock. */
import { Clock, Context, Effect } from "effect"

/** Milliseconds to add to the wall clock; 0 in live mode. */
export const offset = Context.Reference<number>("core/data/DataClock/offset", { defaultValue: () => 0 })

/** Epoch milliseconds of the data clock. */
export const now: Effect.Effect<number> = Clock.clockWith((clock) =>
  Effect.map(offset, (ahead) => clock.currentTimeMillisUnsafe() + ahead)
)
