/** The closed days of series within the days that anyone may read: what changes over a month are made of. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import type { DatedValue } from "../change.ts"
import { dayCounts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import { lastDays } from "./days.ts"
import { RecentDays } from "./RecentDays.ts"

/** Days of lines and changes, today among them: what anyone may read. */
export const monthDays = 30

/** Of each of these series its accepted closed days that count, oldest first; series without any are left out. */
export const closedPoints = Effect.fn("Data.closedPoints")(function* (rows: ReadonlyArray<CurrentRow>) {
  const recent = yield* (yield* RecentDays).memory
  const closed = recent.closed ?? ""
  const days = recent.between(
    rows.map(({ series }) => series),
    lastDays(yield* DataClock.now, monthDays)
  )
  const bySeries = Map.groupBy(
    (days ?? []).filter((day) => dayCounts(day) && day.date <= closed),
    ({ series }) => series
  )
  return new Map(
    [...bySeries].map(([series, own]) => [
      series,
      own
        .map(
          ({ date, value, value_text }): DatedValue => ({
            date,
            value,
            ...(value_text === null ? {} : { value_text })
          })
        )
        .toSorted((a, b) => (a.date < b.date ? -1 : 1))
    ])
  )
})
