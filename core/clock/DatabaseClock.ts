/**
 * The clock of the database. Where several processes write to one Postgres, its clock is that of them all: what each of them
 * writes down, and signs, has one time, whatever the clocks of their machines say. A process whose own clock is another is
 * told apart, for its operator.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { inBackground } from "../process/loop.ts"
import { pulse } from "../process/Pulse.ts"
import { rowsOf } from "../sql/rows.ts"
import type { Reason } from "../wire/log/readiness.ts"
import { clockOf, monotonic } from "./clockOf.ts"

/** How often to compare. */
export const compareEvery = "1 minute"

/** The largest difference of a process that may serve, milliseconds. */
export const longestDifference = 2000

/** An answer that took longer says too little of the time. Milliseconds. */
const longestRoundTrip = 2000

const timeRows = rowsOf({ now: Schema.Finite })

export interface Difference {
  /** How far this machine's clock is ahead of the database's now, milliseconds. */
  readonly ahead: number
  /** How wrong that may be: half of the round trip in which it was measured, milliseconds. */
  readonly within: number
}

/** What one comparison found: where the clocks stood, as the monotonic clock counts. Milliseconds. */
interface Comparison {
  /** The database's time minus the monotonic clock. */
  readonly database: number
  readonly within: number
}

export class DatabaseClock extends Context.Reference<{
  /** Undefined on the embedded engine, which has this machine's clock. Between comparisons, steps of that clock count at once. */
  readonly difference: Effect.Effect<Difference | undefined>
  /**
   * For `clockOf`, in this thread or in others: the time that all processes share, minus the monotonic clock, milliseconds.
   * Undefined on the embedded engine.
   */
  readonly origin: Float64Array<SharedArrayBuffer> | undefined
}>("core/clock/DatabaseClock", {
  defaultValue: () => ({ difference: Effect.succeed(undefined), origin: undefined })
}) {}

/** From here on, the time is the database's. It is compared now, and every minute. */
export const layer = Layer.effectContext(
  Effect.gen(function* () {
    const own = yield* Clock.Clock
    const sql = yield* pulse
    const origin = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT))
    let comparison: Comparison | undefined
    let isReported = false

    const differenceNow = (): Difference | undefined =>
      comparison && {
        ahead: own.currentTimeMillisUnsafe() - monotonic(own) - comparison.database,
        within: comparison.within
      }

    const compare: Effect.Effect<void, SqlError> = Effect.gen(function* () {
      const before = monotonic(own)
      const [row] = yield* sql`
        select (extract(epoch from clock_timestamp()) * 1000)::float8 as now`.pipe(timeRows)
      const after = monotonic(own)
      if (row === undefined || (comparison !== undefined && after - before > longestRoundTrip)) return
      // The clock of Postgres has parts of a millisecond, that of this process has none.
      comparison = { database: row.now - (before + after) / 2, within: (after - before) / 2 + 1 }
      const { ahead, within } = differenceNow() ?? { ahead: 0, within: 0 }
      // A clock that may be the same goes on as it is.
      origin[0] = comparison.database + (Math.abs(ahead) <= within ? ahead : 0)
      const differs = clockMismatch({ ahead, within })
      if (differs !== undefined && !isReported) yield* Effect.logError(differs.message)
      if (differs === undefined && isReported)
        yield* Effect.logInfo("the clock of this process is that of its database again")
      isReported = differs !== undefined
    })

    yield* compare
    yield* inBackground(
      "comparing clocks",
      { afterFailure: compareEvery },
      // `Availability` says that the database is away.
      Effect.delay(
        Effect.catchTag(compare, "SqlError", () => Effect.void),
        compareEvery
      )
    )
    return Context.make(DatabaseClock, { difference: Effect.sync(differenceNow), origin }).pipe(
      Context.add(Clock.Clock, clockOf(origin, own))
    )
  })
)

/** What is wrong with a difference; undefined if nothing is, or if it was measured too coarsely to tell. */
export const clockMismatch = ({ ahead, within }: Difference): Reason | undefined =>
  Math.abs(ahead) - within <= longestDifference
    ? undefined
    : {
        code: "clock_differs",
        message: `The clock of this machine is ${(Math.abs(ahead) / 1000).toFixed(1)} s ${ahead > 0 ? "ahead of" : "behind"} that of its database. Set both by NTP.`
      }

/** Why this process may not serve because of its clock; empty if it may. */
export const clockReasons: Effect.Effect<ReadonlyArray<Reason>> = Effect.map(
  Effect.flatMap(DatabaseClock, ({ difference }) => difference),
  (difference) => {
    const reason = difference && clockMismatch(difference)
    return reason === undefined ? [] : [reason]
  }
)
