/** One metric of one network with everything that its page, its files and its embed show. */
import { Effect } from "effect"
import { attest } from "../../../core/log/record/attest.ts"
import { incidents } from "../../../core/log/record/incidents.ts"
import { lateValues } from "../../../core/log/record/lateValues.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { anomaliesOf } from "../../../core/readings/read/anomalies.ts"
import { lastDays } from "../../../core/readings/read/days.ts"
import { withheld } from "../../../core/readings/read/held.ts"
import { history } from "../../../core/readings/read/history.ts"
import { profile } from "../../../core/readings/read/profile.ts"
import { revisions } from "../../../core/readings/read/revisions.ts"
import { sameHourBefore } from "../../../core/readings/read/sameHour.ts"
import { orProblem } from "../../problems/fromCore.ts"
import type { LineChart, Mark } from "../charts/lineChart.ts"
import { choicesFor } from "../charts/valueAxis.ts"
import { formatDay, formatTime, metricTitle, valueText } from "../html/format.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { pageTime } from "../html/shell.ts"
import { marksText } from "../html/values.ts"
import { asKnownOn, endOfPast } from "./asKnown.ts"

export interface MetricQuery {
  readonly symbol: string
  readonly metric: string
  readonly days?: string | undefined
  readonly axis?: string | undefined
  /** `YYYY-MM-DD`: the chart is as it was known at the end of that day. */
  readonly as_known_at?: string | undefined
}

/** Windows that anyone can read; a key opens longer ones by script. */
export const windows = [7, 30] as const

/** Held readings shown of one series: a guard opens one incident at a time. */
const most = 5

const windowOf = (days: string | undefined): number => windows.find((one) => String(one) === days) ?? 30

const dayOf = (time: string): string => time.slice(0, 10)

/** Undefined where the network has no such metric. Fails with `UnknownSymbol`. */
export const seriesOf = Effect.fn("explorer.seriesOf")(function* ({
  as_known_at: requestedTime,
  axis: requestedAxis,
  days: requestedDays,
  metric,
  symbol: named
}: MetricQuery) {
  const of = yield* profile(named)
  const read = of.metrics.find((one) => one.metric === metric)
  const { symbol } = of
  if (read === undefined) return { of, read: undefined }
  const now = yield* pageTime
  const days = windowOf(requestedDays)
  const source = read.row.source
  const oldest = new Date(lastDays(now, days).from).toISOString().slice(0, 10)
  const result = yield* orProblem(
    Effect.gen(function* () {
      const { data } = yield* history({ access: keyless, network: symbol, metric, source, days })
      const changed = yield* revisions({ symbol, metric })
      const incidentPage = yield* incidents({ symbol, metric })
      const late = yield* lateValues({ symbol, metric, source, from: lastDays(now, days).from })
      const unusual = yield* anomaliesOf({ symbol, metric, source, from: oldest })
      const readings = yield* withheld(most, { symbol, metric, source })
      const ofSeries = data[symbol]?.[metric]
      const weekBefore =
        read.tier === "physical" && ofSeries?.points.at(-1)?.open === true
          ? yield* sameHourBefore({ symbol, metric, source, as_of: ofSeries.as_of, days: 7 })
          : undefined
      const at = endOfPast(requestedTime, now)
      const earlier =
        at === undefined
          ? undefined
          : yield* asKnownOn({ symbol, metric, source }, { at, days, present: ofSeries })
      return {
        asKnown: earlier,
        series: ofSeries,
        weekBefore,
        changed,
        incidentPage,
        late,
        readings,
        unusual
      }
    })
  )
  const { changed, incidentPage, asKnown, late, readings, series, unusual, weekBefore } = result
  const ofSource = incidentPage.incidents.filter((one) => one.source === undefined || one.source === source)
  const revised = changed.revisions.filter((one) => one.source === source && dayOf(one.as_of) >= oldest)
  const marks: ReadonlyArray<Mark> = [
    ...ofSource
      .filter(({ to }) => to === undefined || dayOf(to) >= oldest)
      .map(({ from, id, reason, to }) => ({
        kind: "incident" as const,
        date: dayOf(from),
        to: dayOf(to ?? new Date(now).toISOString()),
        reason: `incident ${id}, ${reason}`
      })),
    ...revised.map(({ after_value, as_of, before_value, unit, why }) => ({
      kind: "revision" as const,
      date: dayOf(as_of),
      reason: `revised from ${valueText(before_value, unit)} to ${valueText(after_value, unit)}: ${why}`
    })),
    ...late
      .filter(({ kind }) => kind === "late")
      .map(({ batch_day, date }) => ({
        kind: "late" as const,
        date,
        reason: `arrived after the day was closed, published in the batch of ${formatDay(batch_day)}`
      })),
    ...unusual.map(({ date, rule }) => ({
      kind: "unusual" as const,
      date,
      reason: `unusual by the rule ${rule}`
    }))
  ]
  const name = nameOfSymbol(symbol)
  const choices = choicesFor(
    (series?.points ?? []).map(({ value }) => value),
    read.row.unit
  )
  const chart: LineChart = {
    id: "chart",
    title: `${metricTitle(metric)} of ${name}${asKnown === undefined ? "" : `, as known on ${formatDay(asKnown.date)}`}`,
    unit: read.row.unit,
    ...(asKnown === undefined
      ? { points: series?.points ?? [], marks }
      : // What happened later was not known.
        { points: asKnown.series?.points ?? [], asKnown: { at: asKnown.at, now: asKnown.now } }),
    now,
    days,
    axis: choices.find((one) => one === requestedAxis)
  }
  return {
    of,
    name,
    read,
    now,
    days,
    series,
    asKnown,
    weekBefore,
    marks,
    chart,
    choices,
    incidents: ofSource,
    revisions: revised,
    unusual,
    withheld: readings
  }
})

export type Series = Extract<Effect.Success<ReturnType<typeof seriesOf>>, { readonly chart: LineChart }>

/** Where the proof of a value is. */
export const attestAddress = (symbol: string, metric: string, date: string, source: string): string =>
  `/v1/attest?${new URLSearchParams({ symbol, metric, date: date.replaceAll("-", ""), source })}`

/** The newest closed day with a value. */
export const newestClosed = ({ series }: Series) => series?.points.filter(({ open }) => open !== true).at(-1)

/** The proof of the newest closed day; undefined before there is one. */
export const provedOf = Effect.fnUntraced(
  function* (series: Series) {
    const { of, read } = series
    const closed = newestClosed(series)
    if (closed === undefined) return undefined
    return yield* attest({
      symbol: of.symbol,
      metric: read.metric,
      date: closed.date,
      source: read.row.source
    })
  },
  orProblem,
  Effect.orElseSucceed(() => undefined)
)

/** The second line below it: the newest closed value and where its proof is; undefined before a day is closed. */
export const proofLine = (series: Series, baseUrl: string): string | undefined => {
  const closed = newestClosed(series)
  const { of, read } = series
  return closed === undefined
    ? undefined
    : `${valueText(closed.value, read.row.unit)} on ${formatDay(closed.date)}, proof: ${baseUrl.replace(/^https?:\/\//, "")}${attestAddress(of.symbol, read.metric, closed.date, read.row.source)}`
}

/** The marks of a value behind the name of its source; empty of most. */
export const markedIn = (row: Parameters<typeof marksText>[0]): string =>
  marksText(row)
    .map((mark) => ` (${mark})`)
    .join("")

/** The line below a chart that leaves the site. */
export const sourceLine = ({ read, now }: Series, baseUrl: string, path: string): string =>
  `Source: ${read.row.source}${markedIn(read.row)}. ${formatTime(new Date(now).toISOString())}. ${baseUrl.replace(/^https?:\/\//, "")}${path}`
