/** A metric as it was known at the end of an earlier day, beside what is published of the same days now. */
import { Effect } from "effect"
import { day as dayMs } from "../../../core/plugin/time.ts"
import { isoTime, type Unit } from "../../../core/plugin/Value.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { dateOf, lastDays } from "../../../core/readings/read/days.ts"
import { history } from "../../../core/readings/read/history.ts"
import type { HistoryPoint, HistorySeries } from "../../../core/wire/data/history.ts"
import { formatDay, valueText } from "../html/format.ts"
import { pageTime } from "../html/shell.ts"
import type { KnownNote } from "../html/timeMachine.ts"

/** A day of which something else is published now. */
export interface ChangedDay {
  readonly date: string
  /** Undefined: it was not known then. */
  readonly before: HistoryPoint | undefined
  /** Undefined: it does not count any more. */
  readonly after: HistoryPoint | undefined
}

export interface AsKnown {
  /** The end of the day, epoch milliseconds. */
  readonly at: number
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly series: HistorySeries | undefined
  /** What is published now of the days up to then. */
  readonly now: ReadonlyArray<HistoryPoint>
  readonly changed: ReadonlyArray<ChangedDay>
  /** Days of the window, of which this one is before the first. */
  readonly beyond: number | undefined
}

/** The end of a day that is over; undefined where the text is none. */
export const endOfPast = (text: string | undefined, now: number): number | undefined => {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined
  const end = Date.parse(text) + dayMs - 1
  return end < now ? end : undefined
}

/** An open day to which further readings came has grown, and was not revised. */
const hasGrown = ({ after, before }: ChangedDay): boolean =>
  before?.open === true && before.n_observations !== after?.n_observations

/** Each day of either, as it was and as it is. */
const pairs = (
  then: ReadonlyArray<HistoryPoint>,
  now: ReadonlyArray<HistoryPoint>
): ReadonlyArray<ChangedDay> => {
  const [before, after] = [then, now].map((points) => new Map(points.map((one) => [one.date, one])))
  const dates = new Set([...then, ...now].map(({ date }) => date))
  return [...dates].sort().map((date) => ({ date, before: before?.get(date), after: after?.get(date) }))
}

/** As it was known at the end of that day, in the same window; `present` is the series as it is now. */
export const asKnownOn = Effect.fn("explorer.asKnownOn")(function* (
  name: { readonly symbol: string; readonly metric: string; readonly source: string },
  {
    at,
    days,
    present
  }: {
    readonly at: number
    readonly days: number
    readonly present: HistorySeries | undefined
  }
) {
  const { metric, source, symbol } = name
  const as_known_at = isoTime(at)
  const { data } = yield* history({ access: keyless, network: symbol, metric, source, days, as_known_at })
  const series = data[symbol]?.[metric]
  const date = as_known_at.slice(0, 10)
  const oldest = present?.points[0]?.date ?? date
  const then = (series?.points ?? []).filter((one) => one.date >= oldest)
  const both = pairs(
    then,
    (present?.points ?? []).filter((one) => one.date <= date)
  ).filter((one) => !hasGrown(one))
  const result: AsKnown = {
    at,
    date,
    series: series && { ...series, points: then },
    now: both.flatMap(({ after }) => after ?? []),
    changed: both.filter(({ after, before }) => before?.value !== after?.value),
    beyond: date < dateOf(lastDays(yield* pageTime, days).from) ? days : undefined
  }
  return result
})

const changedText = ({ after, before, date }: ChangedDay, unit: Unit): string =>
  `${formatDay(date)}: ${before === undefined ? "nothing" : valueText(before.value, unit)}, now ${after === undefined ? "none that counts" : valueText(after.value, unit)}`

/** What is said of a series as it was known. */
export const noteOfDays = ({ beyond, changed, date }: AsKnown, unit: Unit): KnownNote => ({
  date,
  lines: changed.map((one) => changedText(one, unit)),
  one: "day",
  many: "days",
  sign: "the dotted line",
  beyond
})

/** The newest value that was known then. */
export const newestText = ({ series }: AsKnown, unit: Unit): string | undefined => {
  const newest = series?.points.at(-1)
  return newest === undefined ? undefined : valueText(newest.value, unit)
}
