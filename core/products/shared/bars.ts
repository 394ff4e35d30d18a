/** Price bars of the 14 assets as the collectors read them; all time-series statistics use them. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day, hour } from "../../plugin/time.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { seriesKey } from "../../readings/ingest/accept/series.ts"
import { ints, times } from "../../readings/ingest/arrays.ts"
import { counts } from "../../readings/read/byDefinition.ts"
import { Current, type CurrentRow } from "../../readings/read/Current.ts"
import { excludedThen } from "../../readings/read/knownAt.ts"
import { Readable } from "../../readings/read/readable.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Bar } from "../../wire/products/bars.ts"

export const intervals = { "1h": hour, "1d": day } as const
export type Interval = keyof typeof intervals

export interface Bars {
  readonly symbol: string
  readonly source: string
  readonly verify_url: string
  readonly simulated?: true
  /** Oldest first; complete bars only. A bar that was not read is absent. */
  readonly bars: ReadonlyArray<Bar>
  /** End of each bar in epoch milliseconds. */
  readonly ends: ReadonlyArray<number>
}

const parts = ["open", "high", "low", "close", "volume"] as const

const Row = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  verify_url: Schema.String,
  simulated: Schema.Boolean,
  /** Bar ends in epoch milliseconds, with their values in the same order. */
  ends: Schema.String,
  readings: Schema.String
})
interface Row extends Schema.Schema.Type<typeof Row> {}

const barRows = rowsOf(Row.fields)
const readingRows = rowsOf({ id: Schema.Int, ends: Row.fields.ends, readings: Row.fields.readings })

/**
 * The latest bars of every asset, at most `count` each. Skips readings excluded by an open incident, uses the newest
 * version of each bar, leaves out unconfirmed feeds, and picks the market with the newest bar, then the most bars.
 */
export const bars = Effect.fn("Products.bars")(function* (interval: Interval, count: number) {
  const names = parts.map((part) => `ohlcv_${interval}_${part}`)
  const at = yield* DataClock.knownAt
  const rows = yield* at === undefined
    ? currentRows(names, interval, count)
    : rowsKnownAt(at, names, interval, count)
  const unconfirmed = new Set(
    (yield* (yield* Current).snapshot).rows.flatMap((one) =>
      !counts(one) && isBar(interval)(one) ? [seriesKey(one.row)] : []
    )
  )
  const may = yield* Readable
  const bySymbol = Map.groupBy(
    rows.filter((row) => !unconfirmed.has(seriesKey(row)) && (may === undefined || may(row.source))),
    ({ symbol }) => symbol
  )
  return [...bySymbol]
    .toSorted(([a], [b]) => compare(a, b))
    .flatMap(([symbol, of]): ReadonlyArray<Bars> => {
      const markets = [...Map.groupBy(of, ({ source }) => source)].map(([source, rows]) =>
        assemble(symbol, source, rows, interval)
      )
      const [best] = markets
        .filter(({ ends }) => ends.length > 0)
        .toSorted(
          (a, b) =>
            (b.ends.at(-1) ?? 0) - (a.ends.at(-1) ?? 0) ||
            b.ends.length - a.ends.length ||
            compare(a.source, b.source)
        )
      return best === undefined ? [] : [best]
    })
})

const currentRows = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  interval: Interval,
  count: number
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    with chosen as materialized (
      select s.id, s.symbol, s.metric, s.source, l.verify_url, l.simulated, l.as_of
      from series s join latest l on l.series = s.id where s.metric in ${sql.in(names)}
    )
    select c.symbol, c.metric, c.source, c.verify_url, c.simulated, string_agg(o.ms::text, ',') as ends,
      string_agg(o.value::text, ',') as readings
    from chosen c cross join lateral (
      select distinct on (o.as_of) (extract(epoch from o.as_of) * 1000)::bigint as ms, o.value from observation o
      where o.series = c.id and o.as_of > c.as_of - make_interval(secs => ${(count * intervals[interval]) / 1000}::float8)
        and (o.series, o.as_of) not in (
          select e.series, e.as_of from exclusion e join incident i on i.id = e.incident
          where e.series in (select id from chosen) and i.closed_at is null
        )
      order by o.as_of desc, o.version desc limit ${count}
    ) o
    group by c.symbol, c.metric, c.source, c.verify_url, c.simulated`.pipe(barRows)
})

/** The same from the latest rows of that time and the readings recorded by then; a bar with an excluded version is absent. */
const rowsKnownAt = Effect.fnUntraced(function* (
  at: number,
  names: ReadonlyArray<string>,
  interval: Interval,
  count: number
) {
  const sql = yield* SqlClient.SqlClient
  const { rows } = yield* (yield* Current).snapshot
  const chosen = new Map(
    rows.filter(({ row }) => names.includes(row.metric)).map((one) => [one.series, one] as const)
  )
  const knownAt = new Date(at)
  const readings = yield* sql`
    select c.id, string_agg(o.ms::text, ',') as ends, string_agg(o.value::text, ',') as readings
    from unnest(${ints([...chosen.keys()])}, ${times([...chosen.values()].map(({ asOf }) => new Date(asOf)))})
      as c(id, as_of) cross join lateral (
        select (extract(epoch from b.as_of) * 1000)::bigint as ms, b.value from (
          select distinct on (o.as_of) o.as_of, o.value,
            bool_or(${excludedThen(sql, knownAt)} is not null) over (partition by o.as_of) as excluded
          from observation o
          where o.series = c.id and o.recorded_at <= ${knownAt} and o.as_of <= c.as_of
            and o.as_of > c.as_of - make_interval(secs => ${(count * intervals[interval]) / 1000}::float8)
          order by o.as_of desc, o.version desc
        ) b where not b.excluded order by b.as_of desc limit ${count}
      ) o
    group by c.id`.pipe(readingRows)
  return readings.flatMap(({ ends, id, readings }): ReadonlyArray<Row> => {
    const of = chosen.get(id)
    if (of === undefined) return []
    const { metric, source, symbol, verify_url } = of.row
    return [{ symbol, metric, source, verify_url, simulated: of.simulated, ends, readings }]
  })
})

const assemble = (symbol: string, source: string, rows: ReadonlyArray<Row>, interval: Interval): Bars => {
  const byPart = new Map(
    rows.map(({ ends, metric, readings }) => {
      const values = readings.split(",")
      return [metric, new Map(ends.split(",").map((end, n) => [Number(end), Number(values[n])]))] as const
    })
  )
  const of = (part: (typeof parts)[number]) => byPart.get(`ohlcv_${interval}_${part}`)
  const ends = [...(of("close")?.keys() ?? [])].sort((a, b) => a - b)
  const whole = ends.flatMap((end) => {
    const [open, high, low, close, volume] = parts.map((part) => of(part)?.get(end))
    return open === undefined ||
      high === undefined ||
      low === undefined ||
      close === undefined ||
      volume === undefined
      ? []
      : [{ end, bar: { as_of: isoTime(end), open, high, low, close, volume } }]
  })
  return {
    symbol,
    source,
    verify_url: rows[0]?.verify_url ?? "",
    ...(rows.some(({ simulated }) => simulated) ? { simulated: true as const } : {}),
    bars: whole.map(({ bar }) => bar),
    ends: whole.map(({ end }) => end)
  }
}

/** True for the price bars of an interval. */
export const isBar =
  (interval: Interval) =>
  ({ row }: CurrentRow): boolean =>
    row.metric.startsWith(`ohlcv_${interval}_`)
