/**
 * The service's own record of when it was up. Each process has an interval for what works, and extends it every minute. A
 * process that dies, hangs or loses its database leaves its interval where it was: what nobody recorded is down.
 */
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { day } from "../plugin/time.ts"
import { Availability } from "../process/Availability.ts"
import type { FeedState } from "../wire/data/feedState.ts"
import { Feeds } from "./Feeds.ts"
import { intervalsOf, processName } from "./heartbeat.ts"
import type { Due } from "./removing.ts"

/** How often to record. */
export const beatEvery = "1 minute"

/** How late a run of a healthy collector may be, and how long it may take. */
const gracePeriod = 600_000

/** How long records are kept. */
const retention = 400 * day

/** Removes records that are older than any answer looks at. */
export const removeOldUptime = Effect.fnUntraced(function* (due: Due) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from uptime where up_until < ${new Date(due.data - retention)}`
})

/** True if at least one collector is healthy and on schedule. A state that nobody updates any more falls behind. */
export const isCollecting = (states: Iterable<FeedState>, now: number): boolean => {
  for (const { last_started, last_success, next_run, state } of states) {
    const due = state === "waiting" ? next_run : state === "running" ? last_started : null
    if (last_success !== null && due !== null && Date.parse(due) + gracePeriod > now) return true
  }
  return false
}

export class Uptime extends Context.Service<
  Uptime,
  {
    /** Records what works now. */
    readonly beat: Effect.Effect<void, SqlError>
  }
>()("core/readings/Uptime") {
  static readonly layer = Layer.effect(
    Uptime,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const availability = yield* Availability
      const feeds = yield* Feeds
      const intervals = intervalsOf(yield* processName)

      return Uptime.of({
        beat: Effect.gen(function* () {
          const now = yield* DataClock.now
          const isAnswering =
            (yield* availability.reasons).length === 0 && (yield* availability.away) === undefined
          if (!isAnswering) return intervals.end()
          yield* intervals.record(sql, "answering", now)
          if (isCollecting((yield* feeds.states).values(), now))
            yield* intervals.record(sql, "collecting", now)
          else intervals.end("collecting")
        }).pipe(Effect.withSpan("Uptime.beat"))
      })
    })
  )
}
