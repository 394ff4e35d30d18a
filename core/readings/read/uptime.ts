/** `/v1/uptime`: the record of all processes together. The service is up while any of them is. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { UptimePart, UptimeResponse } from "../../wire/data/uptime.ts"
import { type Part, together } from "../heartbeat.ts"

const days = 30
const mostGaps = 50

const intervalRows = rowsOf({ part: Schema.String, up_from: Schema.Date, up_until: Schema.Date })

interface Interval {
  readonly from: number
  readonly until: number
}

/** Intervals in the order of their beginning, those that touch as one. */
export const merged = (intervals: ReadonlyArray<Interval>): ReadonlyArray<Interval> => {
  const all: Array<Interval> = []
  for (const { from, until } of intervals.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1)
    if (last !== undefined && from <= last.until) {
      all[all.length - 1] = { from: last.from, until: Math.max(last.until, until) }
    } else all.push({ from, until })
  }
  return all
}

const minutes = (ms: number): number => Math.round(ms / 600) / 100

/** What intervals say of the time from `window.from` to `window.until`. */
const partOf = (intervals: ReadonlyArray<Interval>, window: Interval): UptimePart => {
  const up = merged(intervals)
    .map(({ from, until }) => ({ from: Math.max(from, window.from), until: Math.min(until, window.until) }))
    .filter(({ from, until }) => from < until)
  const edges = [window.from, ...up.flatMap(({ from, until }) => [from, until]), window.until]
  const gaps = edges.flatMap((from, n) => {
    const until = edges[n + 1]
    return n % 2 === 0 && until !== undefined && from < until ? [{ from, until }] : []
  })
  const total = window.until - window.from
  const there = total - gaps.reduce((sum, { from, until }) => sum + until - from, 0)
  return {
    // Rounded down: 100 is only what had no gap at all.
    percent: total === 0 ? null : Math.floor((there / total) * 100_000) / 1000,
    minutes: minutes(there),
    of_minutes: minutes(total),
    n_gaps: gaps.length,
    gaps: gaps
      .toReversed()
      .slice(0, mostGaps)
      .map(({ from, until }) => ({
        from: isoTime(from),
        until: isoTime(until),
        minutes: minutes(until - from)
      }))
  }
}

export const uptime = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DataClock.now
  const rows = yield* sql`
    select part, up_from, least(up_until, ${new Date(now)}) as up_until from uptime
    where up_until >= ${new Date(now - days * day)} and up_from <= ${new Date(now)} order by up_from`.pipe(
    intervalRows
  )
  // What a process with a wrong clock has of the future, it cannot know: an answer ends now.
  const of = (part: Part): ReadonlyArray<Interval> =>
    rows.flatMap((row) =>
      row.part === part ? [{ from: row.up_from.getTime(), until: row.up_until.getTime() }] : []
    )
  /** Whoever recorded it may be about to record the next one, which belongs to it. */
  const goingOn = ({ from, until }: Interval): Interval => ({
    from,
    until: now - until <= together ? now : until
  })
  const answering = of("answering")
  const first = answering.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY)
  const last = answering.reduce((most, { until }) => Math.max(most, until), 0)
  // From the first record in the window on: before it, nobody knows. To the newest: since then, a minute is not over.
  const window = { from: Math.max(first, now - days * day), until: last }
  const isMeasured = window.from < window.until
  const measured = isMeasured ? window : { from: 0, until: 0 }
  return {
    generated_utc: isoTime(now),
    window_days: days,
    measured_from: isMeasured ? isoTime(window.from) : null,
    measured_until: isMeasured ? isoTime(window.until) : null,
    answering: partOf(answering.map(goingOn), measured),
    collecting: partOf(of("collecting").map(goingOn), measured),
    method:
      "Each process records every minute that it listens and has its database, and whether a collector is healthy and on " +
      "schedule. Records up to 90 seconds apart belong together; everything else since the first record is a gap, " +
      "whatever the cause. With several processes, the service is up while any of them is. A stop is counted from the last " +
      "record before it, so up to a minute early; a hang of less than 90 seconds may not be seen.",
    not_measured:
      "Whether the service could be reached from outside, how fast it answered, and whether each answer was right. Nobody can " +
      "vouch for their own reach: watch /readyz from outside."
  } satisfies UptimeResponse
}).pipe(Effect.withSpan("Uptime.read"))
