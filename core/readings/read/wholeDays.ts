/** The closed days on which each of some series has a value: what adds up, and of what shares can be said. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { dayCounts } from "./byDefinition.ts"
import { lastDays } from "./days.ts"
import { RecentDays, recentDays } from "./RecentDays.ts"

export interface WholeDay {
  /** `YYYY-MM-DD`. */
  readonly date: string
  /** The accepted values of the day, in the order of the series. */
  readonly values: ReadonlyArray<number>
}

export interface WholeDays {
  /** Oldest first. */
  readonly days: ReadonlyArray<WholeDay>
  /** Closed days on which some of the series have an accepted value, and others none. */
  readonly partial: number
}

/** The whole days among the closed ones of the last 30. */
export const wholeDays = Effect.fn("Data.wholeDays")(function* (series: ReadonlyArray<number>) {
  const recent = yield* (yield* RecentDays).memory
  const rows = recent.between(series, lastDays(yield* DataClock.now, recentDays)) ?? []
  const closed = recent.closed ?? ""
  const accepted = rows.filter((row) => dayCounts(row) && row.date <= closed)
  const dates = [...Map.groupBy(accepted, ({ date }) => date)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const days = dates.flatMap(([date, of]) => {
    const bySeries = new Map(of.map((row) => [row.series, row.value]))
    const values = series.flatMap((id) => bySeries.get(id) ?? [])
    return values.length < series.length ? [] : [{ date, values }]
  })
  return { days, partial: dates.length - days.length } satisfies WholeDays
})
