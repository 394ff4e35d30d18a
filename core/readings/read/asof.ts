/**
 * `/v1/asof`: what was known of many series, each at a time of its own, as a backtest needs it. A row says what `as_known_at`
 * of that time says: both read by the rule of `readingThen.ts`.
 *
 * A row is a probe of an index for each source of its series. They are made by some hundreds in one statement, and requests
 * take turns at statements, so that thousands of rows hold up nobody else for long.
 */
import { Array as Arr, Effect, Predicate, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../../catalog/suppressed.ts"
import * as DataClock from "../../clock/DataClock.ts"
import { clockSkew } from "../../plugin/asOf.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { manyRowsOf } from "../../sql/rows.ts"
import type { AbsentReason, AsofResponse } from "../../wire/data/asof.ts"
import { ints, times } from "../ingest/arrays.ts"
import { retainedFrom } from "../ingest/partitions.ts"
import { type Access, accessNote } from "./Access.ts"
import { keptTime } from "./asKnownAt.ts"
import { definedReading } from "./byDefinition.ts"
import { lastDays } from "./days.ts"
import { type Listing, listing } from "./listing.ts"
import { declaredMetric, declaredSource, knownSymbol, notInFuture } from "./parameters.ts"
import { pickSource } from "./pickSource.ts"
import { type KnownSeries, RecentDays, type SeriesRow } from "./RecentDays.ts"
import { dayThen, readingThen } from "./readingThen.ts"
import { type RightsBySource, rightsBySource } from "./rights.ts"
import { visibleTo } from "./selection.ts"
import { unconfirmedThen } from "./standings.ts"
import { valueSample } from "./supply.ts"
import { marksOf } from "./valueRow.ts"

/** What rows ask for, and the number of the first of them. */
export interface RequestedRow {
  readonly symbol: string
  readonly metric: string
  readonly source: string | undefined
  readonly row: number
}

/** The rows of a request by column; times are epoch milliseconds. */
export interface AsofColumns {
  readonly requested: ReadonlyArray<RequestedRow>
  /** Of each row, its place in `requested`. */
  readonly seriesOf: Uint16Array
  readonly knownAt: Float64Array
  /** NaN where the newest value that was known is asked for. */
  readonly at: Float64Array
}

/** What is asked for, with the series that can answer; the reason where none can. */
interface Answerable {
  readonly symbol: string
  readonly metric: string
  readonly series: ReadonlyArray<SeriesRow>
  readonly absent: AbsentReason | undefined
}

/** A series at the time of a row. */
interface Probe {
  readonly row: number
  readonly series: SeriesRow
}

const thenRows = manyRowsOf({
  row: Predicate.isNumber,
  series: Predicate.isNumber,
  plugin: Predicate.isString,
  value: Predicate.isNumber,
  value_text: Predicate.or(Predicate.isString, Predicate.isNull),
  verify_url: Predicate.isString,
  as_of: Predicate.isDate,
  recorded_at: Predicate.isDate,
  version: Predicate.or(Predicate.isNumber, Predicate.isNull),
  simulated: Predicate.isBoolean,
  by_definition: Predicate.or(Predicate.isString, Predicate.isNull)
})
type ThenRow = Effect.Success<ReturnType<typeof thenRows>>[number]

/** Probes of one statement: some tens of milliseconds. */
const chunk = 500

/** Held for one statement. */
const reading = Semaphore.makeUnsafe(1)

const fieldOf = (row: number, member: string): string => `rows.${row}.${member}`

/** Fails with `BadParameter` unless the readings of all these times are kept. */
const requireTimes = Effect.fnUntraced(function* ({ at, knownAt }: AsofColumns) {
  const now = yield* DataClock.now
  const first = yield* retainedFrom
  for (const [member, column] of [
    ["as_known_at", knownAt],
    ["at", at]
  ] as const) {
    const wrong = column.findIndex((time) => time < first || time > now)
    if (wrong < 0) continue
    const field = fieldOf(wrong, member)
    yield* keptTime(field, yield* notInFuture(field, column[wrong] ?? Number.NaN, now), first)
  }
})

/** The names as the read side has them. Fails with `UnknownSymbol` and `BadParameter`. */
const resolved = Effect.fnUntraced(function* (requested: RequestedRow, knownTime: KnownSeries) {
  const { metric, row, source } = requested
  const symbol = yield* knownSymbol(fieldOf(row, "symbol"), requested.symbol)
  const ofNetwork = knownTime.of(symbol)
  const names = [...new Set(ofNetwork.map((one) => one.metric))]
  yield* declaredMetric(fieldOf(row, "metric"), metric, names)
  const served = ofNetwork.filter((one) => one.metric === metric && !isSuppressed(one))
  if (source !== undefined) yield* declaredSource(fieldOf(row, "source"), source, served)
  return {
    symbol,
    metric,
    series: source === undefined ? served : served.filter((one) => one.source === source)
  }
})

/** The networks that a caller sees of those that he names. */
const shownOf = Effect.fnUntraced(function* (
  symbols: ReadonlySet<string>,
  { breadth }: Access,
  list: Listing
) {
  const { visible } = visibleTo([...symbols].toSorted(compare), {
    breadth,
    named: symbols,
    sampleOf: yield* valueSample(list),
    today: list.today
  })
  return new Set(visible)
})

/** What is asked for with the series that answer it, as far as the caller sees them. */
const answerable = Effect.fnUntraced(function* ({ requested }: AsofColumns, access: Access, list: Listing) {
  const knownTime = yield* (yield* RecentDays).series
  const all = yield* Effect.forEach(requested, (one) => resolved(one, knownTime))
  const visible = yield* shownOf(new Set(all.map(({ symbol }) => symbol)), access, list)
  return all.map(
    (one): Answerable => ({
      ...one,
      absent: !visible.has(one.symbol) ? "not_shown" : one.series.length === 0 ? "unknown_series" : undefined
    })
  )
})

/** The values of some probes, of those that have one. */
const valuesOf = Effect.fnUntraced(function* (probes: ReadonlyArray<Probe>, { at, knownAt }: AsofColumns) {
  if (probes.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const then = { knownTime: sql.literal("t.known_at"), until: sql.literal("t.until") }
  const columns = sql.literal(`t.row, s.id as series, s.plugin, r.value, r.value_text, r.verify_url, r.as_of,
      r.recorded_at, r.simulated, ${definedReading} as by_definition`)
  const probeTable = (some: ReadonlyArray<Probe>) => {
    const knownTime = some.map(({ row }) => knownAt[row] ?? 0)
    // No reading was further ahead of its recording than the clock of an upstream may be of ours.
    const until = some.map(({ row }, n) => {
      const newest = (knownTime[n] ?? 0) + clockSkew
      return Math.min(at[row] || newest, newest)
    })
    return sql`unnest(${ints(some.map(({ row }) => row))}, ${ints(some.map(({ series }) => series.id))},
        ${times(knownTime)}, ${times(until)}) as t(row, series, known_at, until) join series s on s.id = t.series`
  }
  const readings =
    yield* sql`select ${columns}, r.version from ${probeTable(probes)} ${yield* readingThen(then)}`.pipe(
      thenRows
    )
  const there = new Set(readings.map(({ row, series }) => `${row} ${series}`))
  const others = probes.filter(({ row, series }) => !there.has(`${row} ${series.id}`))
  if (others.length === 0) return readings
  const days =
    yield* sql`select ${columns}, null::int as version from ${probeTable(others)} ${yield* dayThen(then.knownTime)}`.pipe(
      thenRows
    )
  return [...readings, ...days]
})

/** One row of the answer. */
export type AsofAnswer = AsofResponse["rows"][number]

/** The value of the source that answers, of those that have one. */
const pickedValue = ({ metric, series, symbol }: Answerable, matches: ReadonlyArray<ThenRow>) =>
  pickSource(
    symbol,
    metric,
    matches.flatMap((row) => {
      const source = series.find(({ id }) => id === row.series)
      return source === undefined
        ? []
        : [{ source: source.source, asOf: row.as_of.getTime(), unit: source.unit, row }]
    })
  )

interface Marks {
  readonly rightsOf: RightsBySource
  readonly isUnconfirmed: (plugin: string, series: number, at: number) => boolean
}

const valueOf = (
  { row, source, unit }: NonNullable<ReturnType<typeof pickedValue>>,
  knownAt: number,
  { isUnconfirmed, rightsOf }: Marks
) => ({
  value: row.value,
  ...(row.value_text === null ? {} : { value_text: row.value_text }),
  unit,
  source,
  verify_url: row.verify_url,
  as_of: isoTime(row.as_of.getTime()),
  recorded_at: isoTime(row.recorded_at.getTime()),
  ...(row.version === null ? {} : { version: row.version }),
  ...marksOf({
    simulated: row.simulated,
    unconfirmed: isUnconfirmed(row.plugin, row.series, knownAt),
    by_definition: row.by_definition ?? undefined
  }),
  ...rightsOf(source)
})

/**
 * The answer, with its rows in the order of the request. Twelve networks, or twelve of more in turn, are for everyone; all are
 * for a tier whose access has them. Fails with `BadParameter` and `UnknownSymbol`, which name the row and its member.
 */
export const asof = Effect.fn("Data.asof")(function* (rows: AsofColumns, access: Access) {
  yield* requireTimes(rows)
  const list = yield* listing
  const series = yield* answerable(rows, access, list)
  const marks: Marks = { rightsOf: yield* rightsBySource, isUnconfirmed: yield* unconfirmedThen }
  const now = yield* DataClock.now
  const earliest =
    access.historyDays === null ? Number.NEGATIVE_INFINITY : lastDays(now, access.historyDays).from
  const answerOf = (row: number) => {
    const knownAt = rows.knownAt[row] ?? 0
    const at = rows.at[row] || undefined
    const one = series[rows.seriesOf[row] ?? 0]
    if (one === undefined) throw new Error(`row ${row} asks for no series`)
    const key = {
      symbol: one.symbol,
      metric: one.metric,
      as_known_at: isoTime(knownAt),
      ...(at === undefined ? {} : { at: isoTime(at) })
    }
    return {
      row,
      one,
      key,
      knownAt,
      absent: (at ?? knownAt) < earliest ? ("not_shown" as const) : one.absent
    }
  }
  const answers: Array<AsofAnswer> = []
  for (const some of Arr.chunksOf(Arr.range(0, rows.seriesOf.length - 1), chunk)) {
    const requested = some.map(answerOf)
    const probes = requested.flatMap(({ absent, one, row }) =>
      absent === undefined ? one.series.map((series): Probe => ({ row, series })) : []
    )
    const matches = yield* reading.withPermits(1)(valuesOf(probes, rows))
    const byRow = Map.groupBy(matches, ({ row }) => row)
    for (const { absent, key, knownAt, one, row } of requested) {
      const value = pickedValue(one, byRow.get(row) ?? [])
      answers.push(
        value === undefined
          ? { ...key, absent: absent ?? "not_measured" }
          : { ...key, ...valueOf(value, knownAt, marks) }
      )
    }
  }
  return {
    answers,
    head: {
      generated_utc: isoTime(list.at),
      n_rows: answers.length,
      n_absent: answers.filter((answer) => "absent" in answer).length,
      access: accessNote(access)
    }
  }
})
