/** What changed with one closed day: the largest moves, what was revised or withheld that day, and series that began or ended. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../../catalog/suppressed.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { isoTime, Unit } from "../../plugin/Value.ts"
import { type ChangeOf, changeOver, type DatedValue, isBroadBase } from "../../readings/change.ts"
import { Feeds } from "../../readings/Feeds.ts"
import { texts } from "../../readings/ingest/arrays.ts"
import { dayCounts, isCountedDay } from "../../readings/read/byDefinition.ts"
import { dateOf, daysBetween } from "../../readings/read/days.ts"
import { RecentDays } from "../../readings/read/RecentDays.ts"
import { onlyReadable } from "../../readings/read/readable.ts"
import { revisionsOf } from "../../readings/read/revisions.ts"
import { rowsOf } from "../../sql/rows.ts"
import { dayOfLog } from "./dayOfLog.ts"
import { incidentsOf } from "./incidents.ts"

/** Series that are compared, and rows of each list. */
const mostSeries = 5000
export const mostMoves = 20
export const mostListed = 100

const Named = Schema.Struct({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Unit
})
type Named = typeof Named.Type
const namedRows = rowsOf(Named.fields)
const idRows = rowsOf({ id: Schema.Int })

/** A series whose value moved from one day to the next, with the change, which is in percent. */
export interface Move extends Named {
  readonly change: ChangeOf<DatedValue> & { readonly relative: number }
}

const headlineMetrics = Effect.map(Feeds, ({ manifests }) => [
  ...new Set(
    manifests.flatMap(({ metrics }) =>
      Object.entries(metrics).flatMap(([metric, { role }]) => (role === "headline" ? [metric] : []))
    )
  )
])

/**
 * The largest changes in percent from the day before, each of one series with itself. Headline figures alone, and none from a base
 * so small that a percentage says little (`isBroadBase`).
 */
const movesOf = Effect.fnUntraced(function* (date: string, scope?: DayScope) {
  const sql = yield* SqlClient.SqlClient
  const stored = yield* sql`
    select id, symbol, metric, source, unit from series
    where metric = any(${texts(yield* headlineMetrics)}) or symbol || '/' || metric = any(${texts([...(scope ?? [])])})
    order by id limit ${mostSeries}`.pipe(namedRows)
  const series = stored.filter((one) => isWithin(scope, one))
  const to = Date.parse(date)
  const ids = series.map(({ id }) => id)
  const window = { from: to - dayMs, to }
  const recent = yield* (yield* RecentDays).memory
  const days = recent.between(ids, window) ?? (yield* daysBetween(ids, window, 2 * mostSeries))
  const accepted = Map.groupBy(days.filter(dayCounts), ({ series }) => series)
  const moves = (yield* onlyReadable(series)).flatMap((one): ReadonlyArray<Move> => {
    const points = (accepted.get(one.id) ?? []).map(({ date, value, value_text }) => ({
      date,
      value,
      ...(value_text === null ? {} : { value_text })
    }))
    const change = changeOver(one.unit, points)
    if (change === undefined || change.relative === null || change.relative === 0) return []
    if (isSuppressed(one) || !isBroadBase(one, change.from.value)) return []
    return [{ ...one, change: { ...change, relative: change.relative } }]
  })
  return {
    compared: accepted
      .values()
      .filter((values) => values.length > 1)
      .toArray().length,
    moves: moves.toSorted((a, b) => Math.abs(b.change.relative) - Math.abs(a.change.relative))
  }
})

/** Series whose first accepted value is of this day. */
const begunOn = Effect.fnUntraced(function* (date: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select s.id, s.symbol, s.metric, s.source, s.unit from series s
    where exists (select 1 from daily d where d.series = s.id and d.day = ${date}::date and ${sql.literal(isCountedDay)})
      and not exists (select 1 from daily d where d.series = s.id and d.day < ${date}::date and ${sql.literal(isCountedDay)})
    order by s.symbol, s.metric, s.source limit ${mostListed}`.pipe(namedRows)
  return (yield* onlyReadable(rows)).filter((row) => !isSuppressed(row))
})

const revisionIds = Effect.fnUntraced(function* (date: string) {
  const sql = yield* SqlClient.SqlClient
  const [from, to] = [new Date(date), new Date(Date.parse(date) + dayMs)]
  return yield* sql`
    select id from revision where recorded_at >= ${from} and recorded_at < ${to} order by id desc limit ${mostListed}`.pipe(
    idRows
  )
})

/** What of a day is looked at: symbols, of which the headline counts, and single metrics as `HNT/devices_total`. */
export type DayScope = ReadonlySet<string>

/** Without a scope everything is. */
const isWithin = (
  scope: DayScope | undefined,
  { metric, symbol }: { readonly metric: string; readonly symbol: string }
): boolean => scope === undefined || scope.has(symbol) || scope.has(`${symbol}/${metric}`)

/** A closed day in figures. */
export interface DayFacts {
  /** `YYYY-MM-DD`. */
  readonly date: string
  /** The changes of what is counted or measured, tokens left out, the largest first. */
  readonly moves: ReadonlyArray<Move>
  /** When it was closed. */
  readonly closed_at: string
  /** Published values that were changed that day, as far as they are listed. */
  readonly corrected: number
  /** Series without a reading that day, of which one was expected. */
  readonly absent: number
}

/** The same in short: what a first page says of the day. Undefined if the log has no batch of it. */
export const factsOfDay = Effect.fn("Log.factsOfDay")(function* (date: string, scope?: DayScope) {
  const record = yield* dayOfLog(date)
  if (record === undefined) return undefined
  const changed = yield* revisionIds(date)
  const corrected =
    scope === undefined
      ? changed
      : (yield* revisionsOf(changed.map(({ id }) => id))).filter((one) => isWithin(scope, one))
  const facts: DayFacts = {
    date,
    closed_at: isoTime(record.batch.closed_at.getTime()),
    // What is staked or issued is money, and no infrastructure; who names it wants it.
    moves: (yield* movesOf(date, scope)).moves.filter(({ unit }) => scope !== undefined || unit !== "tokens"),
    corrected: corrected.length,
    absent: record.absences.filter((one) => one.ended !== true && isWithin(scope, one)).length
  }
  return facts
})

/** Undefined if the log has no batch of the day; `begun` is empty of the first day, on which all series begin. */
export const changesOfDay = Effect.fn("Log.changesOfDay")(function* (date: string) {
  const record = yield* dayOfLog(date)
  if (record === undefined) return undefined
  const sql = yield* SqlClient.SqlClient
  const [from, to] = [new Date(date), new Date(Date.parse(date) + dayMs)]
  const revisions = yield* revisionIds(date)
  const incidents = yield* sql`
    select id from incident where opened_at >= ${from} and opened_at < ${to} or closed_at >= ${from} and closed_at < ${to}
    order by id desc limit ${mostListed}`.pipe(idRows)
  const { absences, batch, earlier, later } = record
  const { compared, moves } = yield* movesOf(date)
  return {
    batch,
    earlier,
    later,
    compared,
    moves: moves.slice(0, mostMoves),
    revisions: yield* revisionsOf(revisions.map(({ id }) => id)),
    incidents: yield* incidentsOf(incidents.map(({ id }) => id)),
    begun: earlier === undefined ? [] : yield* begunOn(date),
    ended: absences.filter(({ ended }) => ended === true).slice(0, mostListed),
    dayBefore: dateOf(Date.parse(date) - dayMs)
  }
})
