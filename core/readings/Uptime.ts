/**
 * The service's own record of when it was up. Each process has an interval for what works, and extends it every minute. A
 * process that dies, hangs or loses its database leaves its interval where it was: what nobody recorded is down.
 */
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { day } from "../plugin/time.ts"
import { Availability } from "../process/Availability.ts"
import type { FeedState } from "../wire/data/feedState.ts"
import { Feeds } from "./Feeds.ts"
import type { Due } from "./removing.ts"

/** How often to record. */
export const beatEvery = "1 minute"

/** Records further apart do not belong together: the time between them is a gap. Milliseconds. */
export const together = 90_000

/** How late a run of a healthy collector may be, and how long it may take. */
const gracePeriod = 600_000

/** How long records are kept. */
const retention = 400 * day

/** Removes records that are older than any answer looks at. */
export const removeOldUptime = Effect.fnUntraced(function* (due: Due) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from uptime where up_until < ${new Date(due.data - retention)}`
})

export type Part = "answering" | "collecting"

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
      const process = Hex.encode(yield* (yield* SecureRandom).randomBytes(8))
      const open = new Map<Part, { readonly from: number; readonly until: number }>()

      const record = Effect.fnUntraced(function* (part: Part, now: number) {
        const before = open.get(part)
        const goesOn = before !== undefined && now >= before.until && now - before.until <= together
        const from = goesOn ? before.from : now
        // Only what is written counts: after a failure, a new interval begins.
        open.delete(part)
        yield* sql`
          insert into uptime (part, process, up_from, up_until)
          values (${part}, ${process}, ${new Date(from)}, ${new Date(now)})
          on conflict (part, process, up_from) do update set up_until = excluded.up_until`
        open.set(part, { from, until: now })
      })

      return Uptime.of({
        beat: Effect.gen(function* () {
          const now = yield* DataClock.now
          const isAnswering =
            (yield* availability.reasons).length === 0 && (yield* availability.away) === undefined
          if (!isAnswering) return open.clear()
          yield* record("answering", now)
          if (isCollecting((yield* feeds.states).values(), now)) yield* record("collecting", now)
          else open.delete("collecting")
        }).pipe(Effect.withSpan("Uptime.beat"))
      })
    })
  )
}
