/** How the places of a ranking have changed since a closed day. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { day } from "../../plugin/time.ts"
import { dayCounts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import { type DailyRow, dateOf, lastDays } from "./days.ts"
import { RecentDays, recentDays } from "./RecentDays.ts"

/** A series of a ranking by its value of now. */
export interface Ranked {
  readonly series: number
  readonly value: number
}

/** Places up, below 0 down and 0 none; or `new`: no value on the day and in the days of the memory before it, others had one. */
export type RankChange = number | "new"

/** The changes since one day. */
export interface RankChanges {
  /** `YYYY-MM-DD`. */
  readonly since: string
  /** By series; one of which nothing can be said is not in it. */
  readonly bySeries: ReadonlyMap<number, RankChange>
  /** Series with a value on the day as well as now. */
  readonly compared: number
}

const accepted = (days: ReadonlyArray<DailyRow>): ReadonlyArray<DailyRow> => days.filter(dayCounts)

/** The place of a value among others, from 1; equal values share one. */
const placeOf = (value: number, among: ReadonlyArray<number>): number =>
  among.filter((other) => other > value).length + 1

/**
 * The changes of a ranking since a day. Places are those among the series that have an accepted value on the day as well as
 * now, so that only a network that overtakes another changes them, not one that comes or goes. `onDay` are the rows of that day,
 * `before` those of earlier days of the series without one; undefined where such days are not at hand, and nothing is new.
 */
export const rankChanges = (
  rows: ReadonlyArray<Ranked>,
  since: string,
  onDay: ReadonlyArray<DailyRow>,
  before: ReadonlyArray<DailyRow> | undefined
): RankChanges => {
  const then = new Map(accepted(onDay).map(({ series, value }) => [series, value]))
  const both = rows.flatMap(({ series, value }) => {
    const past = then.get(series)
    return past === undefined ? [] : [{ series, value, past }]
  })
  const [nowValues, pastValues] = [both.map(({ value }) => value), both.map(({ past }) => past)]
  const moved = both.map(
    ({ past, series, value }) => [series, placeOf(past, pastValues) - placeOf(value, nowValues)] as const
  )
  // An excluded reading was one too: its series is not new.
  const withReadings = new Set([...onDay, ...(before ?? [])].map(({ series }) => series))
  const begun =
    before === undefined || both.length === 0
      ? []
      : rows.flatMap(({ series }) => (withReadings.has(series) ? [] : [[series, "new"] as const]))
  return { since, bySeries: new Map<number, RankChange>([...moved, ...begun]), compared: both.length }
}

/** The changes since the day that many days before today; undefined if it is not closed or not in memory. */
export const rankChangesSince = Effect.fn("Data.rankChangesSince")(function* (
  rows: ReadonlyArray<CurrentRow>,
  daysAgo: number
) {
  const recent = yield* (yield* RecentDays).memory
  const { from, to } = lastDays(yield* DataClock.now, recentDays)
  const at = to - daysAgo * day
  const since = dateOf(at)
  if (recent.closed === undefined || since > recent.closed) return undefined
  const ranked = rows.map(({ row, series }) => ({ series, value: row.value }))
  const onDay = recent.between(
    ranked.map(({ series }) => series),
    { from: at, to: at }
  )
  if (onDay === undefined) return undefined
  const read = new Set(onDay.map(({ series }) => series))
  const others = ranked.map(({ series }) => series).filter((series) => !read.has(series))
  const before = at > from ? recent.between(others, { from, to: at - day }) : undefined
  return rankChanges(ranked, since, onDay, before)
})
