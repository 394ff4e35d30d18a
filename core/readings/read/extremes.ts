/** The first and the highest closed day of a series, over the whole of its history. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { epoch } from "../ingest/partitions.ts"
import { dayCounts } from "./byDefinition.ts"
import { type DailyRow, daysBetween } from "./days.ts"
import { RecentDays } from "./RecentDays.ts"

/** Days of one series that are looked through: ten years. */
const mostDays = 3660

/** Undefined without a closed day. Of equal values the first day is the highest. */
export const extremesOf = Effect.fn("Data.extremesOf")(function* (of: {
  readonly symbol: string
  readonly metric: string
  readonly source: string
}) {
  const recent = yield* (yield* RecentDays).series
  const series = recent.of(of.symbol).find((one) => one.metric === of.metric && one.source === of.source)
  const { closed } = recent
  if (series === undefined || closed === undefined) return undefined
  const to = Math.min(Date.parse(closed), yield* DataClock.now)
  const days = yield* daysBetween([series.id], { from: epoch, to }, mostDays)
  const accepted = days.filter(dayCounts)
  const [first] = accepted
  if (first === undefined) return undefined
  const highest = accepted.reduce((most: DailyRow, one) => (one.value > most.value ? one : most), first)
  return { first, highest, unit: series.unit, days: accepted.length }
})
