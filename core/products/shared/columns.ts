/** The daily history of many series at once, in columns. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Array as Arr, Effect, Result, Schema, Struct } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { referenceSymbols } from "../../catalog/Catalog.ts"
import { isSuppressed } from "../../catalog/suppressed.ts"
import * as DataClock from "../../clock/DataClock.ts"
import { day } from "../../plugin/time.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { seriesKey } from "../../readings/ingest/accept/series.ts"
import { dayCounts, dayKey, definedDaysOf } from "../../readings/read/byDefinition.ts"
import { type DailyRow, dateOf, lastDays } from "../../readings/read/days.ts"
import { dayHolds } from "../../readings/read/differing.ts"
import { daysKnownAt } from "../../readings/read/knownAt.ts"
import { isLong, LongHistory } from "../../readings/read/LongHistory.ts"
import { type KnownSeries, type Recent, RecentDays, type SeriesRow } from "../../readings/read/RecentDays.ts"
import { Readable } from "../../readings/read/readable.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { HistoryColumn } from "../../wire/products/historyColumn.ts"
import { leftOut, readings } from "./inputs.ts"

/**
 * Metrics read for every network if none is requested: few enough for one statement, with at least one from each family of
 * data.
 */
export const headline: ReadonlyArray<string> = [
  "price_usd",
  "market_cap_usd",
  "volume_24h_usd",
  "fees_24h_usd",
  "tvl_usd",
  "holders_count",
  "nodes_online",
  "nodes_announced",
  "relays_online",
  "TOTAL_NODES",
  "devices_total",
  "active_storage_providers",
  "active_leases",
  "registered_gpu_count",
  "SUBNET_ACTIVE_NEURONS",
  "dev_stars"
]

interface ColumnsQuery {
  readonly symbol?: string | undefined
  readonly metrics?: ReadonlyArray<string> | undefined
  /** The days of these times in epoch milliseconds, inclusive. */
  readonly from: number
  readonly to: number
}

const Column = Schema.Struct({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  unit: Schema.String,
  source: Schema.String,
  verify_url: Schema.String,
  as_of: Schema.Date,
  simulated: Schema.Boolean,
  /** Days since 1970 and values, newest first. */
  days: Schema.String,
  readings: Schema.String
})
interface Column extends Schema.Schema.Type<typeof Column> {}

const columnRows = rowsOf(Column.fields)
const laterRows = rowsOf({ ...Column.fields, withdrawn: Schema.Boolean })
const stateRows = rowsOf({ batch: Schema.Int, settled: Schema.Boolean })

/** One series: days since 1970 and their values, oldest first. */
interface Points extends Omit<Column, "days" | "readings"> {
  readonly days: ReadonlyArray<number>
  readonly values: ReadonlyArray<number>
}

interface Sealed {
  /** The newest closed batch. */
  readonly batch: number
  readonly series: ReadonlyMap<number, Points>
}

/**
 * Sealed rows never change, so until the next batch closes only the open rows need reading. Caches one window of a few sets
 * of metrics per database.
 */
const sealedColumns = new WeakMap<SqlClient.SqlClient, Map<string, Sealed>>()
const maxWindows = 4

const pointsOf = ({ days, readings, ...row }: Column): Points => ({
  ...row,
  days: days.split(",").map(Number).reverse(),
  values: readings.split(",").map(Number).reverse()
})

/** The columns of the metrics of every network, or of one network. */
export const columns = Effect.fn("Products.columns")(function* (query: ColumnsQuery) {
  const at = yield* DataClock.knownAt
  const points = yield* counted(at === undefined ? yield* current(query) : yield* columnsKnownAt(query, at))
  const may = yield* Readable
  const { closed } = yield* (yield* RecentDays).series
  const isOpen = (date: string): boolean => closed === undefined || date > closed
  const dates = new Map<number, string>()
  const dateOfDay = (number: number): string => {
    const date = dates.get(number) ?? dateOf(number * day)
    dates.set(number, date)
    return date
  }
  return [...points.values()]
    .filter((row) => !isSuppressed(row) && (may === undefined || may(row.source)))
    .map(({ as_of, days, id: _, simulated, values, ...row }): HistoryColumn => {
      const dates = days.map(dateOfDay)
      const open = dates.find(isOpen)
      return {
        ...row,
        as_of: isoTime(as_of.getTime()),
        ...(simulated ? { simulated } : {}),
        dates,
        ...(open === undefined ? {} : { open_from: open }),
        values
      }
    })
    .sort((a, b) => compare(a.symbol, b.symbol) || compare(a.metric, b.metric) || compare(a.source, b.source))
})

/** The points of these columns that somebody counted: not all that is read knows of zeros by definition. */
const counted = Effect.fnUntraced(function* (points: ReadonlyMap<number, Points>) {
  const withZeros = [...points.values()].filter(({ values }) => values.includes(0)).map(({ id }) => id)
  if (withZeros.length === 0) return points
  const defined = yield* definedDaysOf(withZeros)
  if (defined.size === 0) return points
  return new Map(
    [...points].flatMap(([id, one]) => {
      const counts = one.days.map(
        (number, n) => one.values[n] !== 0 || !defined.has(dayKey({ series: id, date: dateOf(number * day) }))
      )
      const of = <A>(all: ReadonlyArray<A>) => all.filter((_, n) => counts[n])
      const days = of(one.days)
      return days.length === 0 ? [] : [[id, { ...one, days, values: of(one.values) }] as const]
    })
  )
})

const current = Effect.fnUntraced(function* (query: ColumnsQuery) {
  const recent = yield* (yield* RecentDays).memory
  return (
    inMemory(query, recent) ??
    (query.symbol === undefined ? yield* ofAll(query, recent) : yield* ofOne(query, recent))
  )
})

/** The series that are wanted. */
const seriesOf = ({ metrics, symbol }: ColumnsQuery, source: KnownSeries): ReadonlyArray<SeriesRow> => {
  const names = metrics === undefined ? undefined : new Set(metrics)
  return [...(symbol === undefined ? source.all() : source.of(symbol))].filter(
    ({ metric }) => names?.has(metric) !== false
  )
}

/** The accepted days of a series; undefined without any. */
const fromDays = (
  { id, metric, source, symbol, unit }: SeriesRow,
  days: ReadonlyArray<DailyRow>
): Points | undefined => {
  const rows = days.filter(dayCounts)
  const last = rows.at(-1)
  if (last === undefined) return undefined
  return {
    id,
    symbol,
    metric,
    unit,
    source,
    verify_url: last.verify_url,
    as_of: last.as_of,
    simulated: rows.some(({ simulated }) => simulated),
    days: rows.map(({ date }) => Date.parse(date) / day),
    values: rows.map(({ value }) => value)
  }
}

/** The same from the recent days; undefined for a longer window. */
const inMemory = (query: ColumnsQuery, recent: Recent) => {
  if (!recent.covers(query)) return undefined
  const pointsById = new Map<number, Points>()
  for (const one of seriesOf(query, recent)) {
    const points = fromDays(one, recent.between([one.id], query) ?? [])
    if (points !== undefined) pointsById.set(one.id, points)
  }
  return pointsById
}

/** Days of one statement, and in memory at once. */
const daysAtOnce = 10_000

/** The columns as they were at an earlier time, epoch milliseconds. */
const columnsKnownAt = Effect.fnUntraced(function* (query: ColumnsQuery, knownAt: number) {
  const { from, to } = query
  const width = (to - from) / day + 1
  const all = seriesOf(query, yield* (yield* RecentDays).series)
  const pointsById = new Map<number, Points>()
  for (const some of Arr.chunksOf(all, Math.max(1, Math.floor(daysAtOnce / width)))) {
    const ids = some.map(({ id }) => id)
    const { rows } = yield* daysKnownAt(ids, { from, to, knownAt }, ids.length * width * 4)
    const bySeries = Map.groupBy(rows, ({ series }) => series)
    for (const one of some) {
      const points = fromDays(one, bySeries.get(one.id) ?? [])
      if (points !== undefined) pointsById.set(one.id, points)
    }
  }
  return pointsById
})

/** One network's, of which nothing is kept. */
const ofOne = Effect.fnUntraced(function* (query: ColumnsQuery, recent: Recent) {
  if (!isLong(query)) return yield* read(query, false)
  const [state, open] = yield* openRows(query)
  const sealed = state.settled ? yield* fromArchive(query, recent) : undefined
  return sealed === undefined ? yield* read(query, false) : merged(sealed, open)
})

const ofAll = Effect.fnUntraced(function* (query: ColumnsQuery, recent: Recent) {
  const sql = yield* SqlClient.SqlClient
  const key = `${query.from} ${query.to} ${query.metrics?.join() ?? ""}`
  // Before the sealed rows: one that is sealed in between is read twice and not left out.
  const [state, open] = yield* openRows(query)
  if (!state.settled) return yield* read(query, false)
  const windows = sealedColumns.get(sql) ?? new Map<string, Sealed>()
  sealedColumns.set(sql, windows)
  let sealed = windows.get(key)
  if (sealed?.batch !== state.batch) {
    sealed = {
      batch: state.batch,
      series: (yield* fromArchive(query, recent)) ?? (yield* read(query, true))
    }
    windows.delete(key)
    windows.set(key, sealed)
    for (const oldest of [...windows.keys()].slice(0, -maxWindows)) windows.delete(oldest)
  }
  return merged(sealed.series, open)
})

const merged = (sealed: ReadonlyMap<number, Points>, later: ReadonlyArray<Points>) => {
  const series = new Map(sealed)
  for (const row of later) series.set(row.id, withOpen(series.get(row.id), row))
  return series
}

/**
 * The sealed days of a long window from the archive, with those that were sealed since; undefined where SQL must be read,
 * also if one of the latter takes back a day.
 */
const fromArchive = Effect.fnUntraced(function* (query: ColumnsQuery, recent: Recent) {
  const { columns } = (yield* LongHistory) ?? {}
  if (columns === undefined || !isLong(query)) return undefined
  const series = seriesOf(query, recent)
  const archived = yield* columns(series, query)
  if (archived === undefined) return undefined
  const later = yield* sealedAfter(archived.through, query)
  if (later === undefined) return undefined
  const archivedPoints = new Map<number, Points>()
  for (const { id, metric, source, symbol, unit } of series) {
    const column = archived.content.get(id)
    if (column !== undefined) archivedPoints.set(id, { id, symbol, metric, unit, source, ...column })
  }
  return merged(archivedPoints, later)
})

/** An open row is its day's newest version. */
const withOpen = (before: Points | undefined, open: Points): Points => {
  if (before === undefined) return open
  const newest = before.as_of > open.as_of ? before : open
  const simulated = before.simulated || open.simulated
  if ((before.days.at(-1) ?? 0) < (open.days[0] ?? 0)) {
    const [days, values] = [before.days.concat(open.days), before.values.concat(open.values)]
    return { ...newest, simulated, days, values }
  }
  const days = new Map(before.days.map((number, n) => [number, before.values[n] ?? Number.NaN]))
  open.days.forEach((number, n) => {
    days.set(number, open.values[n] ?? Number.NaN)
  })
  const sorted = [...days.keys()].sort((a, b) => a - b)
  return {
    ...newest,
    simulated,
    days: sorted,
    values: sorted.map((number) => days.get(number) ?? Number.NaN)
  }
}

const condition = (sql: SqlClient.SqlClient, { metrics, symbol }: ColumnsQuery) => sql`
  (${symbol ?? null}::text is null or s.symbol = ${symbol ?? null})
    and (${metrics === undefined} or s.metric = any(${Result.getOrThrow(PgTypes.array(metrics ?? [], PgTypes.OID.text))}))`

/** Each series' accepted days in the window, in one statement; from sealed rows only, or from all rows. */
const read = Effect.fnUntraced(function* (query: ColumnsQuery, sealed: boolean) {
  const sql = yield* SqlClient.SqlClient
  const holds = yield* dayHolds
  // The newest first is the primary key backwards: the ranges are read in order, and nothing is sorted.
  const rows = yield* sql`
    select s.id, s.symbol, s.metric, s.unit, s.source, d.verify_url, d.as_of, d.simulated, d.days, d.readings
    from series s cross join lateral (
      select string_agg((day - date '1970-01-01')::text, ',') as days, string_agg(value::text, ',') as readings,
        (array_agg(verify_url))[1] as verify_url, max(as_of) as as_of, bool_or(simulated) as simulated
      from (
        select distinct on (day) * from daily
        where series = s.id and incident = 0 and (${!sealed} or sealed_by is not null)
          and day between ${dateOf(query.from)}::date and ${dateOf(query.to)}::date
        order by day desc, version desc
      ) d where n_observations > 0 and ${holds}
    ) d
    where d.days is not null and ${condition(sql, query)}`.pipe(columnRows)
  return new Map(rows.map((row) => [row.id, pointsOf(row)]))
})

/** The accepted rows of batches after `through`, as columns; undefined if one of them takes back its day. */
const sealedAfter = Effect.fnUntraced(function* (through: number, query: ColumnsQuery) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    with later as (
      select distinct on (d.series, d.day) d.*, ${yield* dayHolds} as holds from leaf l
        join daily d on d.series = l.series and d.day = l.day and d.incident = 0 and d.version = l.version
      where l.batch > ${through} and l.series is not null and l.incident = 0
        and d.day between ${dateOf(query.from)}::date and ${dateOf(query.to)}::date
      order by d.series, d.day, d.version desc
    )
    select s.id, s.symbol, s.metric, s.unit, s.source, o.*
    from (
      select series, max(as_of) as as_of, bool_or(simulated) as simulated,
        bool_or(n_observations = 0) as withdrawn,
        string_agg((day - date '1970-01-01')::text, ',' order by day desc) as days,
        string_agg(value::text, ',' order by day desc) as readings,
        (array_agg(verify_url order by day desc))[1] as verify_url
      from later where holds group by series
    ) o join series s on s.id = o.series where ${condition(sql, query)}`.pipe(laterRows)
  return rows.some(({ withdrawn }) => withdrawn)
    ? undefined
    : rows.map((row) => pointsOf(Struct.omit(row, ["withdrawn"])))
})

/** The newest closed batch, and the rows not sealed by any batch. */
const openRows = Effect.fnUntraced(function* (query: ColumnsQuery) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    with open as (
      select series, max(as_of) as as_of, bool_or(simulated) as simulated,
        string_agg((day - date '1970-01-01')::text, ',' order by day desc) as days,
        string_agg(value::text, ',' order by day desc) as readings,
        (array_agg(verify_url order by day desc))[1] as verify_url
      from daily d where sealed_by is null and incident = 0 and n_observations > 0 and ${yield* dayHolds}
        and day between ${dateOf(query.from)}::date and ${dateOf(query.to)}::date
      group by series
    ), found as (
      select s.id, s.symbol, s.metric, s.unit, s.source, o.verify_url, o.as_of, o.simulated, o.days, o.readings
      from open o join series s on s.id = o.series where ${condition(sql, query)}
    ), state as (
      -- A close under way seals row by row; and an open row that takes a sealed day back has nothing to show.
      select coalesce(max(id), 0) as batch,
        coalesce(bool_and(closed_at is not null), true) and not exists (
          select 1 from daily where sealed_by is null and incident = 0 and n_observations = 0 and version > 1
        ) as settled
      from batch
    )
    select state.batch, state.settled, found.* from state left join found on true`
  const [state = { batch: 0, settled: false }] = yield* stateRows(Effect.succeed(rows.slice(0, 1)))
  const open = yield* columnRows(Effect.succeed(rows.filter(({ id }) => id !== null)))
  return [state, open.map(pointsOf)] as const
})

/**
 * The columns that figures of DePIN networks are computed from, those of confirmed feeds: over the last `days` days, today
 * among them, with the time of the data.
 */
export const recentColumns = Effect.fnUntraced(function* (days: number, metrics: ReadonlyArray<string>) {
  const now = yield* DataClock.now
  const all = yield* columns({ metrics, ...lastDays(now, days) })
  const { left_out = [] } = leftOut(yield* readings, metrics)
  const unconfirmed = new Set(
    left_out.flatMap((one) => (one.reason === "unconfirmed" ? [seriesKey(one)] : []))
  )
  return {
    now,
    series: all.filter((one) => !referenceSymbols.has(one.symbol) && !unconfirmed.has(seriesKey(one))),
    ...(left_out.length === 0 ? {} : { left_out })
  }
})
