/**
 * `as_known_at`: an answer made of what was known at an earlier time. The clock, the latest rows and the days stand as they
 * did then, so whoever reads them needs to know nothing of it; who asks SQL itself asks `DataClock.knownAt` first.
 *
 * One such answer costs a probe of an index for each series (`latestKnownAt.ts`). One that reads days asks for those of its
 * series and window besides: a scan of the day's versions, and the readings of the days that changed since
 * (`knownAt.ts`), in many short statements. What reads the recent days of all series, such as divergence and the analyses,
 * takes seconds for 10,000 of them. One answer reads at a time, so that many of them never hold up the rest of the service.
 * Times whose readings are gone are refused, so none reads more than is kept. HTTP keeps the bytes; nothing is kept here.
 */
import { Array as Arr, Effect, Schema, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { day } from "../../plugin/time.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { retainedFrom } from "../ingest/partitions.ts"
import { Current, type LatestRow, readableSnapshot, snapshotOf } from "./Current.ts"
import { type DailyRow, lastClosedDay, lastDays } from "./days.ts"
import { daysKnownAt } from "./knownAt.ts"
import { latestKnownAt } from "./latestKnownAt.ts"
import { Stamped } from "./listing.ts"
import { pastTime } from "./parameters.ts"
import {
  type KnownSeries,
  RecentDays,
  readableDays,
  readableSeries,
  recentDays,
  recentOf
} from "./RecentDays.ts"
import { symbolsUnder } from "./stamped.ts"
import { Versions } from "./Versions.ts"

/** What an answer of an earlier time is made of. */
export type TheRecord = Current | RecentDays | SqlClient.SqlClient | Versions

/** An answer that names the time it was asked for. */
export type Dated<A> = A & { readonly as_known_at?: string }

/** A time in the past whose readings are kept, to epoch milliseconds. Fails with `BadParameter`. */
export const retainedTime = Effect.fnUntraced(function* (field: string, raw: unknown) {
  const at = yield* pastTime(field, typeof raw === "string" ? raw : "", yield* DataClock.now)
  return yield* keptTime(field, at, yield* retainedFrom)
})

/** The time, unless it is before `first`, from which on readings are kept. Fails with `BadParameter`. */
export const keptTime = (field: string, at: number, first: number) =>
  at >= first
    ? Effect.succeed(at)
    : Effect.fail(
        new BadParameter({
          field,
          message: `${field} must not be before ${isoTime(first)}: the record keeps the readings from then on.`,
          valid: `an ISO 8601 date-time in UTC from ${isoTime(first)} until now`
        })
      )

/** What `as_known_at` of a request says, epoch milliseconds. Fails with `BadParameter`. */
export const readKnownAt = (raw: unknown) => retainedTime("as_known_at", raw)

/** The answer as known at the time that was asked for, which it names; as of now without one. Fails with `BadParameter`. */
export const asKnownAt = Effect.fnUntraced(function* <A extends object, E, R>(
  raw: unknown,
  answer: Effect.Effect<A, E, R>
): Effect.fn.Return<Dated<A>, E | BadParameter | SqlError, R | TheRecord> {
  if (raw === undefined) return yield* answer
  const at = yield* readKnownAt(raw)
  return { ...(yield* knownThen(at, answer)), as_known_at: isoTime(at) }
})

/** Held while the record is read, and not while the answer is made of it. */
const reading = Semaphore.makeUnsafe(1)

/** `work` as it would have been done at that time, epoch milliseconds. */
export const knownThen = Effect.fn("Data.knownThen")(function* <A, E, R>(
  at: number,
  work: Effect.Effect<A, E, R>
) {
  const latest = yield* reading.withPermits(1)(latestKnownAt(at))
  const snapshot = snapshotOf(latest)
  const series = seriesOf(latest, yield* lastClosedDay(at))
  const sql = yield* SqlClient.SqlClient
  const memory = yield* Effect.cached(
    daysOf(series, at).pipe(reading.withPermits(1), Effect.provideService(SqlClient.SqlClient, sql))
  )
  return yield* work.pipe(
    Effect.provideService(DataClock.knownAt, at),
    Effect.provideService(Current, {
      ...(yield* Current),
      snapshot: readableSnapshot(Effect.succeed(snapshot))
    }),
    Effect.provideService(RecentDays, {
      ...(yield* RecentDays),
      memory: readableDays(memory),
      series: readableSeries(Effect.succeed(series))
    }),
    Effect.provideService(Versions, { ...(yield* Versions), changedAt: () => Effect.succeed(at) }),
    Effect.provideService(Stamped, Effect.succeed(yield* symbolsUnder(yield* stampedSize(at))))
  )
})

const seriesOf = (latest: ReadonlyArray<LatestRow>, closed: string | undefined): KnownSeries => {
  const all = latest
    .map(({ metric, series, source, symbol, tier, unit }) => ({
      id: series,
      symbol,
      metric,
      source,
      tier,
      unit
    }))
    .toSorted((a, b) => compare(a.symbol, b.symbol) || compare(a.metric, b.metric) || a.id - b.id)
  const bySymbol = Map.groupBy(all, ({ symbol }) => symbol)
  return { all: () => all, of: (symbol) => bySymbol.get(symbol) ?? [], closed }
}

/** Series of one statement. */
const chunk = 200

/** The recent days of every series. */
const daysOf = Effect.fnUntraced(function* (series: KnownSeries, at: number) {
  const window = lastDays(at, recentDays)
  const days: Array<DailyRow> = []
  const width = (window.to - window.from) / day + 1
  for (const some of Arr.chunksOf([...series.all()], chunk)) {
    const ids = some.map(({ id }) => id)
    const { rows } = yield* daysKnownAt(ids, { ...window, knownAt: at }, ids.length * width * 4)
    days.push(...rows)
  }
  return recentOf(series, days, window.from, at)
})

const sizeRows = rowsOf({ size: Schema.NullOr(Schema.Int) })

/** How much of the log a block of that time, or an earlier one, contains. */
const stampedSize = Effect.fnUntraced(function* (at: number) {
  const sql = yield* SqlClient.SqlClient
  const [anchor] = yield* sql`
    select max(size) as size from anchor
    where state in ('confirmed', 'final') and block_time <= ${new Date(at)}`.pipe(sizeRows)
  return anchor?.size ?? 0
})
