/** The schedules in the log: written ahead of each day, and compared with what ran once its hours are over. */
import { Duration, Effect, Predicate, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Manifest } from "../plugin/Manifest.ts"
import { day as dayMs, hour as hourMs, minute } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import { type Awaited, judged, type Missed, withRuns, withSchedule } from "../proof/dues.ts"
import { tagged } from "../proof/leaf.ts"
import { hourBegins, runLeafTag, type SkippedLeaf } from "../proof/runLeaf.ts"
import {
  parseSchedule,
  type Schedule,
  type ScheduledFeed,
  scheduleKind,
  scheduleSubject,
  scheduleTag,
  scheduleText
} from "../proof/schedule.ts"
import { Feeds, isRunning } from "../readings/Feeds.ts"
import { together } from "../readings/heartbeat.ts"
import { ints, texts, times } from "../readings/ingest/arrays.ts"
import { collected } from "../readings/ingest/collected.ts"
import { manyRowsOf, rowsOf } from "../sql/rows.ts"
import type { FeedState } from "../wire/data/feedState.ts"
import { keepDocument } from "./document.ts"

/** How long before a day its schedule is written. */
const ahead = 30 * minute

const nothing: Awaited = new Map()

/** Days that a schedule is looked back for: no feed has a longer cadence. */
const daysBack = 8

const subjectRows = rowsOf({ subject: Schema.String })
const countRows = rowsOf({ n: Schema.Int })
const bodyRows = rowsOf({ body: Schema.String })
const ranRows = manyRowsOf({ plugin: Predicate.isString, at: Predicate.isDate })
const causeRows = rowsOf({ n: Schema.Int, error: Schema.NullOr(Schema.String), up: Schema.Boolean })

const dayOf = (ms: number): string => isoTime(ms).slice(0, 10)

/**
 * When a feed is due on a day from a time on (epoch milliseconds), by its cadence; undefined if it is not. The next run may be one
 * after a failure, which is not of the cadence, and nothing is planned before it.
 */
const scheduledFeed = (
  { every, id }: Pick<Manifest, "every" | "id">,
  { base, next }: { readonly base: number; readonly next: number },
  from: number
): ScheduledFeed | undefined => {
  const cadence = Duration.toMillis(every)
  const first = base + Math.ceil((Math.max(from, next) - base) / cadence) * cadence
  return dayOf(first) === dayOf(from)
    ? { plugin: id, every: Math.round(cadence / 1000), first: isoTime(first) }
    : undefined
}

/** What the running feeds are to do on a day from a time on (epoch milliseconds). */
const scheduledFrom = (
  manifests: ReadonlyArray<Pick<Manifest, "every" | "id">>,
  states: ReadonlyMap<string, Pick<FeedState, "cadence_from" | "next_run" | "state">>,
  from: number
): ReadonlyArray<ScheduledFeed> =>
  manifests
    .flatMap((manifest) => {
      const state = states.get(manifest.id)
      if (state === undefined || state.next_run === null || !isRunning(state.state)) return []
      const { cadence_from = state.next_run, next_run } = state
      return (
        scheduledFeed(manifest, { base: Date.parse(cadence_from), next: Date.parse(next_run) }, from) ?? []
      )
    })
    .sort((a, b) => (a.plugin < b.plugin ? -1 : 1))

/** The day whose schedule is missing, and from when on it can be told: of tomorrow shortly before it, else of the rest of today. */
const missingDay = Effect.fnUntraced(function* (now: number) {
  const sql = yield* SqlClient.SqlClient
  const from = dayOf(now + ahead) === dayOf(now) ? now : Date.parse(dayOf(now + ahead))
  const there = yield* sql`
    select subject from document where kind = ${scheduleKind} and subject = ${dayOf(from)}`.pipe(subjectRows)
  return there.length > 0 ? undefined : from
})

/** The schedule that is missing; undefined if none is, or none ever was and no feed is due. A replay has none: it plays what was recorded. */
const missingSchedule = Effect.fnUntraced(function* (now: number, simulated: boolean) {
  const sql = yield* SqlClient.SqlClient
  const from = simulated ? undefined : yield* missingDay(now)
  if (from === undefined) return undefined
  const { manifests, states } = yield* Feeds
  const feedStates = yield* states
  const feeds = scheduledFrom(manifests, feedStates, from)
  const [before] = yield* sql`select count(*)::int as n from document where kind = ${scheduleKind}`.pipe(
    countRows
  )
  // Once there is one, each day has one, and be it empty; but a collector that is not there yet says nothing of the day.
  if (feeds.length === 0 && (before?.n === 0 || feedStates.size === 0)) return undefined
  const document: Schedule = {
    v: tagged(scheduleTag, false),
    n: (before?.n ?? 0) + 1,
    day: dayOf(from),
    feeds
  }
  return document
})

/** Whether a schedule is to be written. */
export const isScheduleDue = (now: number, simulated: boolean) =>
  Effect.map(missingSchedule(now, simulated), (schedule) => schedule !== undefined)

/** The schedule that is to be written, as its entry. */
export const scheduleEntries = Effect.fn("schedules.scheduleEntries")(function* (
  now: number,
  simulated: boolean
) {
  const document = yield* missingSchedule(now, simulated)
  if (document === undefined) return []
  return [
    yield* keepDocument(
      { kind: scheduleKind, subject: scheduleSubject(document), body: scheduleText(document) },
      now,
      false
    )
  ]
})

/** What was due by the beginning of an hour and did not run, as far as the documents up to `last` have not said it. */
const missedBy = Effect.fnUntraced(function* (hour: string, last: number) {
  const sql = yield* SqlClient.SqlClient
  const begins = hourBegins(hour)
  const first = Math.floor(begins / dayMs) * dayMs - daysBack * dayMs
  const documents = yield* sql`
    select body from document where kind = ${scheduleKind} and subject >= ${dayOf(first)} and subject <= ${dayOf(begins)}
    order by subject limit ${daysBack + 1}`.pipe(bodyRows)
  if (documents.length === 0) return []
  // An id begins with its time: the primary key finds the newest runs.
  const ran = yield* sql`
    select plugin, coalesce(due_at, started_at) as at from run
    where id >= ${first.toString(16).padStart(12, "0").slice(0, 8)} and complete and outcome is not null
      and ${sql.literal(collected("run"))} and finished_at < ${new Date(begins + hourMs)} and started_at >= ${new Date(first)}`.pipe(
    ranRows
  )
  const awaited = withRuns(
    documents.reduce((all, { body }) => withSchedule(all, parseSchedule(body)), nothing),
    ran.map(({ at, plugin }) => ({ plugin, at: at.getTime() }))
  )
  return judged(awaited, begins).missed.filter(({ until }) => until > last)
})

const causesOf = Effect.fnUntraced(function* (missed: ReadonlyArray<Missed>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select m.n, (
        select case when status = 'failed' then error_tag end from run r
        where r.plugin = m.plugin and r.finished_at < m.until order by id desc limit 1
      ) as error, exists (
        select 1 from uptime where part = 'answering' and up_from <= m.due
          and up_until >= m.due - ${together}::int * interval '1 millisecond'
      ) as up
    from unnest(${ints(missed.map((_, n) => n))}, ${texts(missed.map(({ plugin }) => plugin))},
      ${times(missed.map(({ due }) => due))}, ${times(missed.map(({ until }) => until))}) as m(n, plugin, due, until)
    order by m.n`.pipe(causeRows)
  return rows.map(({ error, up }) =>
    up ? (error === null ? "not known" : `its last run had failed: ${error}`) : "the service was away"
  )
})

/**
 * The leaves of runs that were due before an hour began and did not take place, in their order; `last` (epoch milliseconds) is
 * when the hour of the newest document before this one began.
 */
export const skippedBefore = Effect.fn("schedules.skippedBefore")(function* (
  hour: string,
  last: number,
  simulated: boolean
) {
  const missed = yield* missedBy(hour, last)
  const causes = missed.length === 0 ? [] : yield* causesOf(missed)
  return missed.map(
    ({ due, plugin, until }, n): SkippedLeaf => ({
      v: tagged(runLeafTag, simulated),
      plugin,
      due: isoTime(due),
      until: isoTime(until),
      outcome: "skipped",
      cause: causes[n] ?? "not known",
      ...(simulated ? { simulated: true } : {})
    })
  )
})
