/** `/v1/history`: daily series of one network. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Option, Predicate, Result, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { Tier } from "../../plugin/kinds.ts"
import { compare, isoTime, Unit } from "../../plugin/Value.ts"
import type { HistoryResponse, HistorySeries } from "../../wire/data/history.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import * as DataClock from "../DataClock.ts"
import { epoch } from "../ingest/partitions.ts"
import { manyRowsOf, rowsOf } from "../rows.ts"
import { type Access, accessNote } from "./Access.ts"
import { Current } from "./Current.ts"
import { day } from "./freshness.ts"
import {
  declaredMetric,
  declaredSource,
  knownSymbol,
  page,
  pastTime,
  type Raw,
  wholeNumber
} from "./parameters.ts"
import { pickSource } from "./pickSource.ts"

/** Days per answer across all series: a page holds as many series as fit, at least one. */
const daysOfAnswer = 20_000

interface Asked {
  readonly access: Access
  readonly network?: string | undefined
  readonly metric?: string | undefined
  readonly days?: Raw
  readonly source?: string | undefined
  readonly as_known_at?: string | undefined
}

/** The requested series, one per metric, and the window. */
const planned = Effect.fnUntraced(function* (asked: Asked) {
  const { access, metric, source } = asked
  if (asked.network === undefined) {
    const message = "network is required: a network symbol, e.g. FIL or SN64."
    return yield* new BadParameter({ field: "network", message })
  }
  const network = yield* knownSymbol("network", asked.network)
  const days = yield* wholeNumber("days", asked.days, { min: 1, max: 3650, fallback: 30 })
  const now = yield* DataClock.now
  const knownAt =
    asked.as_known_at === undefined ? undefined : yield* pastTime("as_known_at", asked.as_known_at, now)

  const stored = yield* seriesOf(network)
  if (metric !== undefined) yield* declaredMetric("metric", metric, [...stored.keys()])
  if (source !== undefined) yield* declaredSource("source", source, [...stored.values()].flat())
  const chosen = [...stored]
    .filter(([name]) => metric === undefined || name === metric)
    .flatMap(([name, candidates]) => {
      const found =
        source === undefined
          ? pickSource(network, name, candidates)
          : candidates.find((candidate) => candidate.source === source)
      return found === undefined ? [] : [found]
    })
  const reach = access.historyDays === null ? days : Math.min(days, access.historyDays)
  const to = Math.floor(now / day) * day
  const from = Math.max(epoch, to - reach * day)
  return { network, days, reach, now, knownAt, chosen, from, to, width: Math.max(1, (to - from) / day + 1) }
})

/** The daily rows of some of the planned series, each with its own. */
const daysOf = Effect.fnUntraced(function* (
  { from, knownAt = Number.MAX_SAFE_INTEGER, to, width }: Effect.Success<ReturnType<typeof planned>>,
  items: ReadonlyArray<Series>
) {
  const rows = yield* daysBetween(
    items.map(({ id }) => id),
    { from, to, knownAt },
    // Beside its accepted row a day may have one for each incident that excludes some of its readings; they come last.
    items.length * width * 4
  )
  const bySeries = Map.groupBy(rows, ({ series }) => series)
  return items.map((item) => ({ item, rows: bySeries.get(item.id) ?? [] }))
})

/**
 * Daily series of one network, from `daily`: the window is today and the `days` days before it, cut by the epoch and by
 * what the access reaches. A day is its newest version with an accepted reading; of several sources one answers
 * (`answering`), or the one that `source` names. With `as_known_at` the versions are those recorded until then: a day
 * that its batch had not closed by then may be missing, since an open day is one version that moves.
 *
 * `cursor` is the last metric of the page before. Fails with `UnknownSymbol` and `BadParameter`.
 */
export const history = Effect.fn("Data.history")(function* (
  options: Asked & { readonly limit?: Raw; readonly cursor?: string | undefined }
) {
  const limit = yield* wholeNumber("limit", options.limit, { min: 1, max: 500, fallback: 500 })
  const plan = yield* planned(options)
  const { days, knownAt, network, now, reach, width } = plan
  const { items, next } = yield* page(
    plan.chosen,
    (series) => series.metric,
    Math.min(limit, Math.max(1, Math.floor(daysOfAnswer / width))),
    options.cursor,
    // A network's series never disappear.
    () => false
  )
  const notes: Array<string> = []
  if (reach < days) notes.push(`days=${days}: your tier includes ${reach} days of history.`)
  const series: Array<readonly [string, HistorySeries]> = []
  for (const { item, rows } of yield* daysOf(plan, items)) {
    const made = seriesObject(item, rows)
    if (made !== undefined) series.push([item.metric, made])
    else if (rows.length > 0) notes.push(`${item.metric}: ${excludedNote(excludedDates(rows))}`)
  }
  const response: HistoryResponse = {
    generated_utc: isoTime(now),
    source_table: "daily",
    window_days: days,
    ...(knownAt === undefined ? {} : { as_known_at: isoTime(knownAt) }),
    data: { [network]: Object.fromEntries(series) },
    access: accessNote(options.access),
    ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})

/** Maps `of` over the same series, one metric at a time, so few days are in memory at once. */
export const historyStream = <A>(
  asked: Asked,
  of: (metric: string, series: HistorySeries) => ReadonlyArray<A>
) =>
  Stream.unwrap(
    Effect.map(planned(asked), (plan) => {
      const some = Math.max(1, Math.floor(daysAtOnce / plan.width))
      return Stream.paginate(0, (at) =>
        Effect.map(
          daysOf(plan, plan.chosen.slice(at, at + some)),
          (found) =>
            [
              found.flatMap(({ item, rows }) => {
                const made = seriesObject(item, rows)
                return made === undefined ? [] : of(item.metric, made)
              }),
              at + some < plan.chosen.length ? Option.some(at + some) : Option.none()
            ] as const
        )
      )
    })
  )

const daysAtOnce = 2000

const SeriesRow = Schema.Struct({
  id: Schema.Int,
  metric: Schema.String,
  source: Schema.String,
  tier: Tier,
  unit: Unit
})
const seriesRows = rowsOf(SeriesRow.fields)

interface Series extends Schema.Schema.Type<typeof SeriesRow> {
  /** Of the latest row; before all others where there is none any more. */
  readonly asOf: number
}

/** Every series of a symbol by sorted metric, including those whose latest row is gone. */
const seriesOf = Effect.fnUntraced(function* (symbol: string) {
  const sql = yield* SqlClient.SqlClient
  const current = yield* Current
  const latest = new Map(
    (yield* current.snapshot).bySymbol.get(symbol)?.map(({ asOf, series }) => [series, asOf] as const)
  )
  const rows = yield* sql`
    select id, metric, source, tier, unit from series where symbol = ${symbol} limit 5000`.pipe(seriesRows)
  const served = rows
    .filter((row) => !isSuppressed({ symbol, metric: row.metric, source: row.source }))
    .map((row): Series => ({ ...row, asOf: latest.get(row.id) ?? Number.NEGATIVE_INFINITY }))
    .sort((a, b) => compare(a.metric, b.metric))
  return Map.groupBy(served, ({ metric }) => metric)
})

const dailyRows = manyRowsOf({
  series: Predicate.isNumber,
  date: Predicate.isString,
  /** 0 for the accepted readings of the day, else the incident that excludes these. */
  incident: Predicate.isNumber,
  value: Predicate.isNumber,
  value_text: Predicate.or(Predicate.isString, Predicate.isNull),
  n_observations: Predicate.isNumber,
  as_of: Predicate.isDate,
  verify_url: Predicate.isString,
  simulated: Predicate.isBoolean
})
type DailyRow = Effect.Success<ReturnType<typeof daysBetween>>[number]

/** One statement that scans one primary key range per series, however large the table. */
const daysBetween = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  { from, knownAt, to }: { readonly from: number; readonly to: number; readonly knownAt: number },
  limit: number
) {
  if (ids.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  // The greatest time that a timestamp and a Date both hold.
  const known = new Date(Math.min(knownAt, 8.64e15))
  return yield* sql`
    select s.id as series, d.day::text as date, d.incident, d.value, d.value_text, d.n_observations, d.as_of,
      d.verify_url, d.simulated
    from unnest(${Result.getOrThrow(PgTypes.array(ids, PgTypes.OID.int4))}) as s(id) cross join lateral (
      select distinct on (day, incident) * from daily
      where series = s.id and day between ${dateOf(from)}::date and ${dateOf(to)}::date and recorded_at <= ${known}
      order by day, incident, version desc
    ) d
    where d.n_observations > 0
    order by d.incident > 0, s.id, d.day
    limit ${limit}`.pipe(dailyRows)
})

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

const excludedDates = (rows: ReadonlyArray<DailyRow>): ReadonlyArray<string> => [
  ...new Set(rows.filter(({ incident }) => incident > 0).map(({ date }) => date))
]

const excludedNote = (dates: ReadonlyArray<string>): string =>
  `A quality incident excludes readings of ${dates.join(", ")}; they are kept but not served.`

/** The served series; undefined if no day in the window has an accepted reading. `rows` are sorted by day. */
const seriesObject = (
  { source, tier, unit }: Series,
  rows: ReadonlyArray<DailyRow>
): HistorySeries | undefined => {
  const accepted = rows.filter(({ incident }) => incident === 0)
  const [first, last] = [accepted[0], accepted.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const { change_pct, why } = change(accepted.length, first.value, last.value)
  const excluded = excludedDates(rows)
  const note = [
    ...(why === undefined ? [] : [why]),
    ...(excluded.length === 0 ? [] : [excludedNote(excluded)])
  ]
  return {
    tier,
    source,
    unit,
    verify_url: last.verify_url,
    as_of: isoTime(last.as_of.getTime()),
    points: accepted.map(({ date, n_observations, simulated, value, value_text }) => ({
      date,
      value,
      ...(value_text === null ? {} : { value_text }),
      n_observations,
      ...(simulated ? { simulated } : {})
    })),
    n_points: accepted.length,
    first_date: first.date,
    last_date: last.date,
    change_pct,
    ...(excluded.length === 0 ? {} : { excluded_dates: excluded }),
    ...(note.length === 0 ? {} : { note: note.join(" ") })
  }
}

/** `(last - first) / |first|` in percent, or why it is undefined. */
const change = (
  n: number,
  first: number,
  last: number
): { readonly change_pct: number | null; readonly why?: string } => {
  if (n < 2)
    return { change_pct: null, why: "The window has fewer than two observations, so there is no change." }
  if (first === 0)
    return { change_pct: null, why: "The first value is 0, so a relative change is undefined." }
  const change_pct = ((last - first) / Math.abs(first)) * 100
  return Number.isFinite(change_pct)
    ? { change_pct }
    : { change_pct: null, why: "The change is too large to represent." }
}
