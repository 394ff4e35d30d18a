/** What a suspect value is compared with: the days of its series, and what second sources say. */
import { Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Manifest, metricNamed, type SecondSource } from "../../../plugin/Manifest.ts"
import { day as dayMs, hour } from "../../../plugin/time.ts"
import type { Observation } from "../../../plugin/Value.ts"
import { manyRowsOf, rowsOf } from "../../../sql/rows.ts"
import { contemporary, differs, isNamed } from "../../secondSources.ts"
import { ints, texts, times } from "../arrays.ts"
import type { Candidate } from "../candidate.ts"
import { daysBefore, isSuspect, smallestFactor } from "./scale.ts"

const dayRows = manyRowsOf({ series: Predicate.isNumber, value: Predicate.isNumber })

/** The latest accepted value of a series. */
interface Latest {
  readonly asOf: number
  readonly value: number
}

/**
 * The accepted values of the 30 days before, by series, of those series that have a suspect value among the rows: one per
 * day, oldest first. Most runs have none, and cost nothing.
 */
export const pastsOf = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Candidate>,
  latest: ReadonlyMap<number, Latest>
) {
  const suspects = suspectsIn(rows, latest)
  if (suspects.length === 0) return new Map<number, ReadonlyArray<number>>()
  const sql = yield* SqlClient.SqlClient
  const newest = suspects.reduce((time, { asOf }) => Math.max(time, asOf), 0)
  const days = yield* sql`
    select series, value from (
      select distinct on (series, day) series, day, value, n_observations from daily
      where series = any(${ints([...new Set(suspects.map(({ series }) => series))])}) and incident = 0
        and day >= (${new Date(newest - daysBefore * dayMs)}::timestamptz at time zone 'UTC')::date
      order by series, day, version desc
    ) d where n_observations > 0 order by series, day`.pipe(dayRows)
  const bySeries = Map.groupBy(days, ({ series }) => series)
  return new Map(
    suspects.map(({ series }) => [series, (bySeries.get(series) ?? []).map(({ value }) => value)])
  )
})

const hourRows = manyRowsOf({ n: Predicate.isNumber, value: Predicate.isNumber })

/** How far from a time of the day a reading is of the same hour, in milliseconds. */
const sameHour = hour / 2

/**
 * The accepted readings of the same hour on the 30 days before, by row: the newest of each day. Only of rows whose series has
 * a suspect value among the rows.
 */
export const hoursOf = Effect.fnUntraced(function* (rows: ReadonlyArray<Candidate>) {
  if (rows.length === 0) return new Map<Candidate, ReadonlyArray<number>>()
  const sql = yield* SqlClient.SqlClient
  const width = sql`make_interval(secs => ${sameHour / 1000}::float8)`
  const readings = yield* sql`
    select i.n::int as n, o.value
    from unnest(${ints(rows.map(({ series }) => series))}, ${times(rows.map(({ asOf }) => asOf))})
        with ordinality as i(series, as_of, n)
      cross join generate_series(1, ${daysBefore}::int) as back
      cross join lateral (
        select o.value from observation o
        where o.series = i.series
          and o.as_of between i.as_of - make_interval(days => back) - ${width}
            and i.as_of - make_interval(days => back) + ${width}
          and not exists (
            select 1 from exclusion e join incident c on c.id = e.incident and c.closed_at is null
            where e.series = o.series and e.as_of = o.as_of and e.version = o.version
          )
        order by o.as_of desc, o.version desc limit 1
      ) o`.pipe(hourRows)
  const byRow = Map.groupBy(readings, ({ n }) => n)
  return new Map(
    rows.map((row, index) => [row, (byRow.get(index + 1) ?? []).map(({ value }) => value)] as const)
  )
})

const suspectsIn = (
  rows: ReadonlyArray<Candidate>,
  latest: ReadonlyMap<number, Latest>
): ReadonlyArray<Candidate> => {
  const last = new Map<number, number>()
  return rows.filter(({ from, row, series }) => {
    const before = last.get(series) ?? latest.get(series)?.value
    last.set(series, row.value)
    // Most rows end here: to look a metric up among families costs more than to compare two numbers.
    if (before === undefined || (row.value < smallestFactor * before && before < smallestFactor * row.value))
      return false
    const metric = metricNamed(from.manifest.metrics, row.metric)
    return metric !== undefined && isSuspect(metric, row.value, before)
  })
}

/** What a declared second source of a figure says now: a series that another plugin reads. */
export interface SecondReading extends Pick<SecondSource, "source" | "tolerance"> {
  readonly plugin: string
  readonly metric: string
  readonly value: number
  /** Epoch milliseconds. */
  readonly asOf: number
}

/** A value with the manifest of its feed, which declares its second sources. */
interface Seconded {
  readonly asOf: number
  readonly row: Pick<Observation, "symbol" | "metric" | "value">
  readonly from: { readonly manifest: Manifest }
}

/** Whether a second source says the same of about the same time. */
export const agrees = ({ asOf, row }: Pick<Seconded, "asOf" | "row">, second: SecondReading): boolean =>
  Math.abs(asOf - second.asOf) <= contemporary && !differs(row.value, second.value, second.tolerance)

const secondRows = rowsOf({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  plugin: Schema.String,
  value: Schema.Finite,
  as_of: Schema.Date
})

/**
 * The second sources that manifests declare for these rows, and that have a value. What the same plugin writes is none: whoever read
 * one of them wrong may have read the other wrong, and a row would agree with itself.
 */
export const secondSourcesOf = Effect.fnUntraced(function* <Row extends Seconded>(rows: ReadonlyArray<Row>) {
  const declared = rows.flatMap((candidate) =>
    (candidate.from.manifest.agreesWith ?? [])
      .filter(({ metric }) => isNamed(metric, candidate.row.metric))
      .map((second) => ({ second, candidate }))
  )
  if (declared.length === 0) return new Map<Row, ReadonlyArray<SecondReading>>()
  const sql = yield* SqlClient.SqlClient
  const values = yield* sql`
    select s.symbol, s.metric, s.source, s.plugin, l.value, l.as_of from series s join latest l on l.series = s.id
    where s.symbol = any(${texts([...new Set(declared.map(({ candidate }) => candidate.row.symbol))])})
      and s.source = any(${texts([...new Set(declared.map(({ second }) => second.source))])})
    limit 10000`.pipe(secondRows)
  return Map.groupBy(
    declared.flatMap(({ second: { as, source, tolerance }, candidate }) => {
      const { metric, symbol } = candidate.row
      const second = values.find(
        (one) =>
          one.symbol === symbol &&
          one.source === source &&
          one.metric === (as ?? metric) &&
          one.plugin !== candidate.from.manifest.id
      )
      return second === undefined ? [] : [{ ...second, candidate, tolerance, asOf: second.as_of.getTime() }]
    }),
    ({ candidate }) => candidate
  )
})
