/** Whether a condition is true of a value, by what is stored of its series. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { hour } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import { definedAs, isCountedDay } from "../readings/read/byDefinition.ts"
import { isAccepted } from "../readings/read/differing.ts"
import { rowsOf } from "../sql/rows.ts"
import type { ValueCondition } from "../wire/alerts/alert.ts"
import type { SeenValue } from "./stored.ts"

/** What a condition says of a value. `says` ends the sentence about it. */
export interface Verdict {
  readonly holds: boolean
  readonly says: string
}

const earlierRows = rowsOf({ value: Schema.Finite, as_of: Schema.Date })
const extremeRows = rowsOf({
  highest: Schema.NullOr(Schema.Finite),
  lowest: Schema.NullOr(Schema.Finite),
  whole: Schema.Boolean
})

/** The newest accepted reading that is as many hours older, and at most twice as many. */
const earlierBy = Effect.fnUntraced(function* ({ as_of, series }: SeenValue, hours: number) {
  const sql = yield* SqlClient.SqlClient
  const latest = new Date(as_of.getTime() - hours * hour)
  const oldest = new Date(as_of.getTime() - 2 * hours * hour)
  const [row] = yield* sql`
    select o.value, o.as_of from observation o
    where o.series = ${series} and o.as_of between ${oldest} and ${latest} and ${sql.literal(isAccepted)}
      and ${sql.literal(definedAs("o"))} is null
    order by o.as_of desc, o.version desc limit 1`.pipe(earlierRows)
  return row
})

/** The highest and the lowest value of the days before the one of this value, and whether the series is as old. */
const extremesOf = Effect.fnUntraced(function* ({ as_of, series }: SeenValue, days: number) {
  const sql = yield* SqlClient.SqlClient
  const today = isoTime(as_of.getTime()).slice(0, 10)
  const [row] = yield* sql`
    select max(value) as highest, min(value) as lowest, exists (
      select 1 from daily d where d.series = ${series} and d.day <= ${today}::date - ${days}::int and ${sql.literal(isCountedDay)}
    ) as whole from daily d
    where d.series = ${series} and d.day < ${today}::date and d.day >= ${today}::date - ${days}::int
      and ${sql.literal(isCountedDay)}`.pipe(extremeRows)
  return row === undefined || row.highest === null || row.lowest === null
    ? undefined
    : { highest: row.highest, lowest: row.lowest, whole: row.whole }
})

const changed = Effect.fnUntraced(function* (
  { hours, percent }: Extract<ValueCondition, { kind: "change" }>,
  reading: SeenValue
) {
  const earlier = yield* earlierBy(reading, hours)
  // Of nothing there is no percentage.
  if (earlier === undefined || earlier.value === 0) return undefined
  const change = (100 * (reading.value - earlier.value)) / Math.abs(earlier.value)
  const from = `from ${earlier.value} at ${isoTime(earlier.as_of.getTime())}`
  return {
    holds: Math.abs(change) >= percent,
    says: `changed by ${change > 0 ? "+" : ""}${Number(change.toPrecision(4))} % ${from}`
  }
})

const extreme = Effect.fnUntraced(function* (
  { days, kind }: Extract<ValueCondition, { kind: "new_high" | "new_low" }>,
  reading: SeenValue
) {
  const extremes = yield* extremesOf(reading, days)
  if (extremes === undefined || !extremes.whole) return undefined
  return kind === "new_high"
    ? {
        holds: reading.value > extremes.highest,
        says: `is higher than on any of the ${days} days before, ${extremes.highest} at most`
      }
    : {
        holds: reading.value < extremes.lowest,
        says: `is lower than on any of the ${days} days before, ${extremes.lowest} at least`
      }
})

/** Undefined where it cannot be told: the series has no value to compare with, or the condition is not on a value. */
export const judge = Effect.fnUntraced(function* (
  condition: ValueCondition,
  reading: SeenValue
): Effect.fn.Return<Verdict | undefined, SqlError, SqlClient.SqlClient> {
  switch (condition.kind) {
    case "above":
      return { holds: reading.value > condition.value, says: `is above ${condition.value}` }
    case "below":
      return { holds: reading.value < condition.value, says: `is below ${condition.value}` }
    case "change":
      return yield* changed(condition, reading)
    case "new_high":
    case "new_low":
      return yield* extreme(condition, reading)
    case "stale": {
      const age = (yield* DataClock.now) - reading.as_of.getTime()
      return { holds: age >= condition.hours * hour, says: `has no newer value for ${condition.hours} h` }
    }
    case "absent":
      return undefined
  }
})
