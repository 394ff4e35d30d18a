/**
 * Looks whether the conditions of alerts have become true. What is looked at is removed, and what came of it recorded, in
 * one transaction: whatever ends in between, each crossing is recorded once. One transaction at a time does it.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { EventFeed } from "../events/EventFeed.ts"
import { LogKey } from "../log/Log.ts"
import { day } from "../plugin/time.ts"
import { providing } from "../process/providing.ts"
import type { Due } from "../readings/removing.ts"
import { advisoryLock } from "../sql/advisoryLock.ts"
import { storedFact, storeFact } from "../sql/keyValue.ts"
import { rowsOf } from "../sql/rows.ts"
import { anomaliesCursor, eventsCursor } from "./activate.ts"
import { lookAtAges, lookAtEvent, lookAtFindings, lookAtValues } from "./looks.ts"

const judging = advisoryLock("alerts")

/** Events in one pass. */
const mostEvents = 200

/** How long crossings are listed, and how long messages and alerts that nobody confirms are kept, in milliseconds. */
const crossingsFor = 90 * day
const messagesFor = 7 * day

const countRows = rowsOf({ n: Schema.Int })

export class AlertWatch extends Context.Service<
  AlertWatch,
  {
    /** Looks at the values and events that came since; returns the number of crossings. */
    readonly run: Effect.Effect<number, SqlError>
    /** Looks at which series have grown too old, which nothing announces; returns the number of crossings. */
    readonly runAges: Effect.Effect<number, SqlError>
    /** Removes what is not listed any more, and alerts that nobody has confirmed; returns how many crossings. */
    readonly removeOld: (due: Due) => Effect.Effect<number, SqlError>
  }
>()("core/alerts/AlertWatch") {
  static readonly layer = Layer.effect(
    AlertWatch,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, EventFeed, LogKey, SecureRandom)
      return AlertWatch.of({
        run: provided(run)(),
        runAges: provided(runAges)(),
        removeOld: provided(removeOld)
      })
    })
  )
}

/** Looks at the next events of the feed. */
const lookAtEvents = Effect.gen(function* () {
  const feed = yield* EventFeed
  const { newest, oldest } = yield* feed.bounds
  const stored = yield* storedFact(eventsCursor)
  // Nobody has confirmed an alert yet.
  if (stored === undefined) return { crossings: 0, more: false }
  // The feed goes back when a backup is restored.
  const after = Math.min(Number(stored), newest)
  if (after + 1 < oldest)
    yield* Effect.logWarning("alerts did not see events that are no longer retained", {
      from: after + 1,
      to: oldest - 1
    })
  const events = yield* feed.read(after, mostEvents)
  let crossings = 0
  for (const event of events) crossings += yield* lookAtEvent(event)
  const upTo = String(events.at(-1)?.id ?? after)
  if (upTo !== stored) yield* storeFact(eventsCursor, upTo)
  return { crossings, more: events.length === mostEvents }
})

/** Looks at the next findings on closed values. */
const lookAtNextFindings = Effect.gen(function* () {
  const stored = yield* storedFact(anomaliesCursor)
  // Nobody has confirmed an alert since there are findings.
  if (stored === undefined) return { crossings: 0, more: false }
  const { crossings, more, upTo } = yield* lookAtFindings(Number(stored))
  if (String(upTo) !== stored) yield* storeFact(anomaliesCursor, String(upTo))
  return { crossings, more }
})

interface Look {
  readonly crossings: number
  /** There is more to look at. */
  readonly more: boolean
}

const lookAtNew = Effect.gen(function* () {
  const looks = [yield* lookAtValues, yield* lookAtEvents, yield* lookAtNextFindings]
  return {
    crossings: looks.reduce((sum, { crossings }) => sum + crossings, 0),
    more: looks.some(({ more }) => more)
  } satisfies Look
})

/** Repeats a look, each time in a transaction of its own, until there is no more to look at. */
const untilNone = Effect.fnUntraced(function* <E, R>(look: Effect.Effect<Look, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const pass = Effect.andThen(
    sql`select pg_advisory_xact_lock(${judging.space}::int, ${judging.number}::int)`,
    look
  )
  let crossings = 0
  while (true) {
    const done = yield* sql.withTransaction(pass)
    crossings += done.crossings
    if (!done.more) return crossings
  }
})

const run = Effect.fn("AlertWatch.run")(() => untilNone(lookAtNew))

const runAges = Effect.fn("AlertWatch.runAges")(() => untilNone(lookAtAges))

const removeOld = Effect.fn("AlertWatch.removeOld")(function* (due: Due) {
  const sql = yield* SqlClient.SqlClient
  const before = new Date(due.wall - messagesFor)
  yield* sql`delete from alert where state = 'unconfirmed' and created_at < ${before}`
  yield* sql`delete from alert_delivery where state <> 'pending' and created_at < ${before}`
  yield* sql`delete from alert_confirmation where at < ${before}`
  const [removed] = yield* sql`
    with gone as (
      delete from alert_crossing c where at < ${new Date(due.data - crossingsFor)} and not exists (
        select 1 from alert_delivery d where d.id = c.delivery and d.state = 'pending'
      ) returning 1
    ) select count(*)::int as n from gone`.pipe(countRows)
  return removed?.n ?? 0
})
