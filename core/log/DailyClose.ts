/**
 * The daily close: day D closes on D+1 at 08:00 UTC. Its open `daily` rows, and those of earlier days that changed since,
 * become leaves. Rows are selected by what is unsealed, never by a time window, and a closed batch never changes. Every
 * step can be repeated, so a killed close continues where it stopped.
 */

import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, Schema, Semaphore } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { day as dayMs } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import { fromUtf8, toHex } from "../proof/bytes.ts"
import { type BatchEntry, batchTag, isLate } from "../proof/entry.ts"
import { absenceList, cutOffOf, leafBytes, leafTag, tagged } from "../proof/leaf.ts"
import { leafHash, root } from "../proof/merkle.ts"
import { lastEarlierDay } from "../readings/earlierLog.ts"
import { Feeds } from "../readings/Feeds.ts"
import { Incidents } from "../readings/ingest/Incidents.ts"
import { withWriterLock } from "../readings/ingest/writerLock.ts"
import { RecentDays } from "../readings/read/RecentDays.ts"
import { TrustedClock } from "../readings/TrustedClock.ts"
import { mayTakeLong } from "../sql/mayTakeLong.ts"
import { rowsOf } from "../sql/rows.ts"
import { absentOn, namedBy } from "./absences.ts"
import { Claimant, claimsOf } from "./claims.ts"
import { lastClosedDay } from "./closedDays.ts"
import { eventsEntries } from "./eventsEntry.ts"
import { incidentEntries } from "./incidentEvents.ts"
import { keysEntries } from "./keysEntry.ts"
import { Log, type LogHalted, LogKey } from "./Log.ts"
import { sealAll, sha256, type Unsealable } from "./leaves.ts"
import { revisionsDocument } from "./revisions.ts"
import { placeLeaves, storeTree } from "./storeTree.ts"

const dayRows = rowsOf({ day: Schema.NullOr(Schema.String) })
const countRows = rowsOf({ readings: Schema.Int, late: Schema.Int, revisions: Schema.Int })

/** True if the day should have been closed by now. */
export const isOverdue = (day: string, now: number): boolean => isLate(cutOffOf(day), now)

/** A batch that this call closed. */
export interface Closed {
  readonly day: string
  readonly tree_size: number
  readonly root: string
  readonly late: boolean
}

export class DailyClose extends Context.Service<
  DailyClose,
  {
    /** Closes every due day, oldest first; returns none if there is nothing to do. */
    readonly run: Effect.Effect<ReadonlyArray<Closed>, LogHalted | SqlError>
    /** Due days not yet closed, oldest first; after `run`, those another process is closing. */
    readonly due: Effect.Effect<ReadonlyArray<string>, SqlError>
  }
>()("core/log/DailyClose") {
  static readonly layer = Layer.effect(
    DailyClose,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const logKey = yield* LogKey
      const { simulated } = logKey
      const feeds = yield* Feeds
      const incidents = yield* Incidents
      const recent = yield* RecentDays
      const clock = yield* TrustedClock
      const turn = yield* Semaphore.make(1)
      const claims = claimsOf(sql, (yield* Claimant) ?? randomUUID())

      const close = Effect.fn("DailyClose.close")(function* (day: string, now: number) {
        const cutOff = cutOffOf(day)
        const batch = yield* claims.take(day, cutOff, now)
        return batch === undefined
          ? undefined
          : yield* claims.whileRenewing(batch, mayTakeLong(seal(batch, day, cutOff)))
      })

      const seal = Effect.fnUntraced(function* (batch: number, day: string, cutOff: number) {
        const isOwner = claims.renewClaim(batch)
        const sealed = yield* sealAll({ batch, day, simulated }, isOwner, (unsealable) =>
          setAside(incidents, unsealable)
        )
        const absent = absenceList(yield* absentOn({ batch, day }, yield* namedBy(feeds), sealed.aside))
        const leaf = leafBytes({
          v: tagged(leafTag, simulated),
          kind: "absent",
          day,
          cut_off: isoTime(cutOff),
          n_series: absent.count,
          series_sha256: absent.sha256,
          ...(simulated ? { simulated: true } : {})
        })
        const done = yield* Effect.gen(function* () {
          if (!(yield* isOwner)) return undefined
          // Replay closes the days of its tape in a moment: they are simulated, and none of them is late.
          const closedAt = simulated ? cutOff : yield* DataClock.now
          const late = isLate(cutOff, closedAt)
          yield* sql`delete from leaf where batch = ${batch} and series is null`
          yield* sql`insert into leaf ${sql.insert({
            batch,
            place: sealed.leaves,
            day,
            incident: 0,
            version: 1,
            text: fromUtf8(leaf),
            hash: leafHash(leaf, sha256)
          })}`
          if (!sealed.ordered) yield* placeLeaves(batch)
          const tree = yield* storeTree(batch)
          const counts = yield* countsOf(batch)
          const entry: BatchEntry = {
            v: tagged(batchTag, simulated),
            days: [day],
            cut_off: isoTime(cutOff),
            closed_at: isoTime(closedAt),
            late,
            root: toHex(root(tree, sha256)),
            tree_size: tree.size,
            n_readings: counts.readings,
            n_late: counts.late,
            n_revisions: counts.revisions,
            n_absent: absent.count,
            absent_sha256: absent.sha256,
            ...(simulated ? { simulated: true } : {})
          }
          // The keys that sign the head are in the log before what they sign.
          const keys = yield* Effect.provideService(keysEntries(closedAt, simulated), LogKey, logKey)
          // What a leaf is excluded by is in the log before the batch that has the leaf.
          const events = yield* incidentEntries(closedAt, simulated)
          const revisions = yield* revisionsDocument(closedAt, simulated)
          const feed = yield* eventsEntries(day, closedAt, simulated)
          const first = yield* log.append(
            [
              ...keys.entries,
              ...events.entries,
              entry,
              ...(revisions === undefined ? [] : [revisions]),
              ...feed
            ],
            closedAt
          )
          yield* keys.placed(first)
          const afterKeys = first + keys.entries.length
          yield* events.placed(afterKeys)
          yield* sql`
            update batch set closed_at = ${new Date(closedAt)}, late = ${late}, root = ${entry.root},
              tree_size = ${entry.tree_size}, n_readings = ${entry.n_readings}, n_late = ${entry.n_late},
              n_revisions = ${entry.n_revisions}, n_absent = ${entry.n_absent}, absent = ${absent.text},
              log_index = ${afterKeys + events.entries.length}, owes_origin = true
            where id = ${batch}`
          return { day, tree_size: entry.tree_size, root: entry.root, late }
        }).pipe(withWriterLock)
        if (done !== undefined) yield* recent.apply({ closed: day })
        yield* log.refresh
        return done
      })

      const run = Effect.gen(function* () {
        const now = yield* DataClock.now
        const closed: Array<Closed> = []
        const days = yield* dueDays(now)
        // A day that is closed before it is over would stay so forever.
        if (days.length === 0 || !(yield* clock.trusted)) return closed
        for (const day of days) {
          const done = yield* Effect.onInterrupt(close(day, now), () => claims.release(day))
          if (done === undefined) break
          yield* Effect.logInfo("closed a day", done)
          closed.push(done)
        }
        return closed
      }).pipe(turn.withPermits(1), Effect.withSpan("DailyClose.run"))

      const due = Effect.flatMap(DataClock.now, dueDays)
      return DailyClose.of({
        run: Effect.provideService(run, SqlClient.SqlClient, sql),
        due: Effect.provideService(due, SqlClient.SqlClient, sql)
      })
    })
  )
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/**
 * How many days before the first one on which the service read anything its log may begin, days: a figure of a week that is over. What
 * is older (one answer of months ago) is sealed by the first close, as a late row, and makes no empty days.
 */
const longestBefore = 7

/** Due days not yet closed, oldest first. */
const dueDays = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  // Only before the first close is every day looked at.
  const [next] = yield* sql`
    select coalesce(
      ${lastClosedDay(sql)} + 1, ${lastEarlierDay(sql)} + 1,
      (select coalesce(min(day) filter (where day >= first_read - ${longestBefore}::int), first_read) from daily,
        (select (min(recorded_at) at time zone 'UTC')::date as first_read from daily) as began
        group by first_read)
    )::text as day`.pipe(dayRows)
  const days: Array<string> = []
  if (next === undefined || next.day === null) return days
  for (let day = next.day; cutOffOf(day) <= now; day = dateOf(Date.parse(day) + dayMs)) days.push(day)
  return days
})

/** Opens an incident for a row that cannot be sealed, so that it does not block the others. */
const setAside = Effect.fnUntraced(function* (incidents: Incidents["Service"], { reason, row }: Unsealable) {
  const { day, metric, source, symbol } = row
  const about = { symbol, metric, source, day, reason }
  // What an incident excludes already, or what has no reading left, cannot be excluded once more.
  if (row.incident !== 0 || row.n_observations === 0) {
    yield* Effect.logWarning("row cannot be sealed; left open", about)
    return
  }
  const from = Date.parse(day)
  const incident = yield* incidents.hold(
    { symbol, metric, source, from, to: from + dayMs - 1 },
    `the day cannot be sealed: ${reason}`
  )
  yield* Effect.logError("row cannot be sealed; opened an incident", { ...about, incident })
})

/**
 * How many leaves of each kind the batch has. A leaf is flat canonical JSON, in which a string has no bare quote, so that no
 * other member can hold these characters; to parse each leaf would take ten times as long.
 */
const countsOf = Effect.fnUntraced(function* (batch: number) {
  const sql = yield* SqlClient.SqlClient
  const [counts] = yield* sql`
    select count(*) filter (where strpos(text, '"kind":"reading"') > 0)::int as readings,
      count(*) filter (where strpos(text, '"kind":"late"') > 0)::int as late,
      count(*) filter (where strpos(text, '"kind":"revision"') > 0)::int as revisions
    from leaf where batch = ${batch}`.pipe(countRows)
  return counts ?? { readings: 0, late: 0, revisions: 0 }
})
