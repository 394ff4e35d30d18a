/**
 * Sends events to webhooks. What has happened becomes a delivery in SQL first, and an attempt is claimed there, so a
 * delivery is tried by one process at a time and at least once, whatever ends in between. All its attempts have one id.
 */
import { Clock, Context, Effect, FiberSet, Layer, Random, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Accounts } from "../credits/Accounts.ts"
import { Secret } from "../credits/Secret.ts"
import { tiers } from "../credits/tiers.ts"
import { EventFeed, gapAfter, matchesFilter } from "../events/EventFeed.ts"
import { filterOf } from "../events/read/filter.ts"
import { day, hour, minute } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import { providing } from "../process/providing.ts"
import { Feeds } from "../readings/Feeds.ts"
import { texts } from "../readings/ingest/arrays.ts"
import { usable } from "../readings/read/rights.ts"
import type { Due } from "../readings/removing.ts"
import { monotonic } from "../readings/UpstreamClock.ts"
import { Permissions } from "../rights/Permissions.ts"
import { rowsOf } from "../sql/rows.ts"
import { challengeType, echoes } from "./challenge.ts"
import { concluded, isDue } from "./outbox.ts"
import { giveUpAfter, waitAfter } from "./schedule.ts"
import { signedHeaders } from "./signature.ts"
import { type Attempt, Targets } from "./Targets.ts"
import { handedOn } from "./withheld.ts"

/** Attempts at a time: of this process, and to one target. */
const mostAttempts = 32
const mostPerTarget = 4

/** Failures in a row from which on a target is tried with one delivery at a time, at growing intervals. */
const failing = 3

/** The longest wait of a failing target, in milliseconds. */
const longestRest = hour

/** Deliveries that may wait for one target: beyond, events wait in the feed. */
const mostPending = 1000

/** Events that are looked at for one webhook at once. */
const eventsAtOnce = 200

/** An attempt ends well before its claim does, in milliseconds. */
const claim = minute

/** How long deliveries are listed, in milliseconds. */
const listedFor = 7 * day

const behindRows = rowsOf({
  id: Schema.String,
  account: Schema.String,
  symbol: Schema.NullOr(Schema.String),
  category: Schema.NullOr(Schema.String),
  kind: Schema.NullOr(Schema.String),
  seen: Schema.Finite,
  pending: Schema.Int
})
const dueRows = rowsOf({ webhook: Schema.String, failures: Schema.Int })
const claimedRows = rowsOf({
  id: Schema.String,
  webhook: Schema.String,
  type: Schema.String,
  attempts: Schema.Int,
  created_at: Schema.Date,
  give_up_at: Schema.Date,
  claimed_until: Schema.Date,
  url: Schema.String,
  secret_epoch: Schema.Int,
  previous_until: Schema.NullOr(Schema.Date),
  data: Schema.NullOr(Schema.String)
})
interface Claimed {
  readonly id: string
  readonly webhook: string
  readonly type: string
  readonly attempts: number
  readonly created_at: Date
  readonly give_up_at: Date
  readonly claimed_until: Date
  readonly url: string
  readonly secret_epoch: number
  readonly previous_until: Date | null
  readonly data: string | null
}
const failureRows = rowsOf({ failures: Schema.Int, failing_since: Schema.NullOr(Schema.Date) })
const countRows = rowsOf({ n: Schema.Int })

/** Before the functions that it wraps: they are made when the module is. */
const inTransaction = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work))

/** The attempts of this process, and how many there are to each webhook. */
class Attempts extends Context.Service<
  Attempts,
  { readonly attempts: FiberSet.FiberSet; readonly underWay: Map<string, number> }
>()("core/webhooks/Deliverer/Attempts") {
  static readonly layer = Layer.effect(
    Attempts,
    Effect.map(FiberSet.make(), (attempts) => Attempts.of({ attempts, underWay: new Map() }))
  )
}

export class Deliverer extends Context.Service<
  Deliverer,
  {
    /** Makes deliveries of new events, and starts what is due. */
    readonly run: Effect.Effect<void, SqlError>
    /** Waits until no attempt is under way. */
    readonly settled: Effect.Effect<void>
    /** Removes deliveries that are not listed any more; returns how many. */
    readonly removeOld: (due: Due) => Effect.Effect<number, SqlError>
  }
>()("core/webhooks/Deliverer") {
  static readonly layer = Layer.effect(
    Deliverer,
    Effect.gen(function* () {
      const { attempts } = yield* Attempts
      const permissions = yield* Permissions
      const provided = yield* providing(
        SqlClient.SqlClient,
        Accounts,
        Attempts,
        EventFeed,
        Feeds,
        Secret,
        Targets
      )
      return Deliverer.of({
        run: Effect.provideService(provided(run)(), Permissions, permissions),
        settled: FiberSet.awaitEmpty(attempts),
        removeOld: provided(removeOld)
      })
    })
  ).pipe(Layer.provide(Attempts.layer))
}

const run = Effect.fn("Deliverer.run")(function* () {
  yield* enqueueAll
  yield* startDue
})

const removeOld = Effect.fnUntraced(function* (due: Due) {
  const sql = yield* SqlClient.SqlClient
  const before = new Date(due.wall - listedFor)
  const [removed] = yield* sql`
    with removed as (delete from webhook_delivery where created_at < ${before} returning 1)
    select count(*)::int as n from removed`.pipe(countRows)
  yield* sql`delete from webhook_probe where at < ${before}`
  return removed?.n ?? 0
})

const enqueueAll = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const feed = yield* EventFeed
  const behind = yield* sql`
    select id from webhook where state = 'active' and challenged_at is not null and seen <> ${feed.newest()} order by id limit 10000`.pipe(
    rowsOfId
  )
  for (const { id } of behind) {
    let more = true
    while (more) more = yield* enqueue(id)
  }
})

/** Makes deliveries of the next events for one webhook; true if there may be more. */
const enqueue = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const feed = yield* EventFeed
  const [hook] = yield* sql`
    select id, account, symbol, category, kind, seen::float8 as seen, (
      select count(*)::int from webhook_delivery d where d.webhook = webhook.id and d.state = 'pending'
    ) as pending from webhook where id = ${id} and state = 'active' and challenged_at is not null for update`.pipe(
    behindRows
  )
  if (hook === undefined || hook.pending >= mostPending) return false
  const account = yield* accounts.find(hook.account)
  if (account === undefined || !tiers[account.tier].can.includes("webhooks")) {
    yield* pause(
      id,
      "Your subscription does not include webhooks any more. With one that does, POST /v1/webhooks/{id}/resume sends again."
    )
    return false
  }
  const filter = yield* filterOf({
    symbol: hook.symbol ?? undefined,
    category: hook.category ?? undefined,
    kind: hook.kind ?? undefined
  }).pipe(Effect.orDie)
  const bounds = yield* feed.bounds
  const at = yield* now
  const giveUpAt = new Date(at.getTime() + giveUpAfter)
  const gap = gapAfter(hook.seen, bounds)
  if (gap !== undefined) {
    const body = JSON.stringify({
      ...gap,
      message: "These events are no longer retained and were not sent. Read the values you follow again."
    })
    yield* sql`insert into webhook_delivery (id, webhook, type, body, created_at, due_at, give_up_at)
      values (${newMessage(sql)}, ${id}, 'webhook.gap', ${body}, ${at}, ${at}, ${giveUpAt})`
  }
  const after = Math.min(hook.seen, bounds.newest)
  const events = yield* feed.read(after, eventsAtOnce)
  const matches = events.filter((event) => matchesFilter(filter, event))
  if (matches.length > 0) {
    yield* sql`
      insert into webhook_delivery (id, webhook, type, event, created_at, due_at, give_up_at)
      select ${newMessage(sql)}, ${id}, 'event.' || kind, event::bigint, ${at}, ${at}, ${giveUpAt}
      from unnest(${texts(matches.map(({ kind }) => kind))}, ${texts(matches.map((event) => String(event.id)))})
        as t(kind, event)
      on conflict (webhook, event) do nothing`
  }
  yield* sql`update webhook set seen = ${events.at(-1)?.id ?? after} where id = ${id}`
  return events.length === eventsAtOnce
}, inTransaction)

const pause = Effect.fnUntraced(function* (webhook: string, reason: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update webhook set state = 'paused', paused_by = 'service', paused_at = ${yield* now},
      pause_reason = ${reason}
    where id = ${webhook} and state = 'active'`
  yield* Effect.logWarning("paused a webhook", { webhook, reason })
})

const startDue = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { attempts, underWay } = yield* Attempts
  const at = yield* now
  const due = yield* sql`
    select w.id as webhook, w.failures from webhook w where exists (
      select 1 from webhook_delivery d where d.webhook = w.id and ${isDue(sql, "d", at)}
        and (d.forced or (w.state = 'active' and (w.retry_at is null or w.retry_at <= ${at})))
    ) order by random() limit 1000`.pipe(dueRows)
  for (const { failures, webhook } of due) {
    const current = underWay.get(webhook) ?? 0
    const left = Math.min(
      (failures >= failing ? 1 : mostPerTarget) - current,
      mostAttempts - (yield* FiberSet.size(attempts))
    )
    if (left <= 0) continue
    for (const delivery of yield* claimSome(webhook, left, at)) yield* start(delivery)
  }
})

/** Claims so many of the deliveries of a webhook that are due. */
const claimSome = Effect.fnUntraced(function* (webhook: string, count: number, at: Date) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    with due as (
      select d.id from webhook_delivery d join webhook w on w.id = d.webhook
      where d.webhook = ${webhook} and ${isDue(sql, "d", at)}
        and (d.forced or (w.state = 'active' and (w.retry_at is null or w.retry_at <= ${at})))
      order by d.forced desc, d.due_at, d.event, d.id limit ${count} for update of d skip locked
    ), claimed as (
      update webhook_delivery d set claimed_until = ${new Date(at.getTime() + claim)}, attempts = attempts + 1
      from due where d.id = due.id
      returning d.id, d.webhook, d.type, d.event, d.body, d.attempts, d.created_at, d.give_up_at, d.claimed_until
    )
    select c.id, c.webhook, c.type, c.attempts, c.created_at, c.give_up_at, c.claimed_until, w.url, w.secret_epoch,
      w.previous_until, coalesce(c.body, e.body) as data
    from claimed c join webhook w on w.id = c.webhook left join event e on e.id = c.event
    order by c.event, c.id limit ${count}`.pipe(claimedRows)
})

/** Starts an attempt, which is counted while it is under way. */
const start = Effect.fnUntraced(function* (delivery: Claimed) {
  const { attempts, underWay } = yield* Attempts
  const { webhook } = delivery
  underWay.set(webhook, (underWay.get(webhook) ?? 0) + 1)
  const release = Effect.sync(() => {
    const others = (underWay.get(webhook) ?? 1) - 1
    if (others === 0) underWay.delete(webhook)
    else underWay.set(webhook, others)
  })
  yield* FiberSet.run(
    attempts,
    attempt(delivery).pipe(
      Effect.catchCause((cause) => Effect.logError("an attempt to deliver to a webhook failed", cause)),
      Effect.ensuring(release)
    )
  )
})

const attempt = Effect.fn("Deliverer.attempt")(function* (delivery: Claimed) {
  const secret = yield* Secret
  const targets = yield* Targets
  const begun = yield* Clock.currentTimeMillis
  const moment = yield* monotonic
  const body = bodyOf(delivery, yield* usable("bulk"))
  const until = delivery.previous_until?.getTime() ?? 0
  const epochs = begun < until ? [delivery.secret_epoch, delivery.secret_epoch - 1] : [delivery.secret_epoch]
  const isChallenge = delivery.type === challengeType
  const answered: Attempt =
    body === undefined
      ? { error: "the event is no longer retained" }
      : yield* targets.post(delivery.url, {
          body,
          reads: isChallenge,
          headers: signedHeaders(
            secret,
            { id: delivery.webhook, epochs },
            { id: delivery.id, at: begun, body }
          )
        })
  // Not the wall clock: nothing is given up because it was set while the target was waited for.
  const millis = (yield* monotonic) - moment
  const at = new Date(begun + millis)
  const outcome = isChallenge && isTaken(answered) ? judged(delivery, answered) : answered
  const { status } = outcome
  yield* status !== undefined && isTaken(outcome)
    ? succeeded(delivery, at, status, millis)
    : failed(delivery, at, outcome, millis)
})

const isTaken = ({ error, status }: Attempt): boolean =>
  error === undefined && status !== undefined && status >= 200 && status < 300

/** What came of a challenge that was answered 2xx. */
const judged = ({ data }: Claimed, { body, status = 0 }: Attempt): Attempt =>
  echoes(data, body)
    ? { status }
    : {
        status,
        error: `it answered ${status} without the challenge, which is \`data.challenge\` of the message`
      }

const bodyOf = ({ created_at, data, type }: Claimed, may: (source: string) => boolean): string | undefined =>
  data === null
    ? undefined
    : `{"type":"${type}","timestamp":"${isoTime(created_at.getTime())}","data":${handedOn(data, may)}}`

const succeeded = Effect.fnUntraced(function* (delivery: Claimed, at: Date, status: number, millis: number) {
  const sql = yield* SqlClient.SqlClient
  const { columns, row } = concluded(sql, delivery, at.getTime(), { status }, 0)
  yield* sql`update webhook_delivery set ${columns}, forced = false, millis = ${millis} where ${row}`
  yield* sql`update webhook set failures = 0, failing_since = null, retry_at = null, delivered_at = ${at}
    where id = ${delivery.webhook}`
  if (delivery.type === challengeType)
    yield* sql`update webhook set challenged_at = coalesce(challenged_at, ${at}) where id = ${delivery.webhook}`
}, inTransaction)

const failed = Effect.fnUntraced(function* (delivery: Claimed, at: Date, attempt: Attempt, millis: number) {
  const sql = yield* SqlClient.SqlClient
  const share = yield* Random.next
  const error = attempt.error ?? `it answered ${attempt.status}`
  const { columns, row } = concluded(sql, delivery, at.getTime(), { ...attempt, error }, share)
  yield* sql`update webhook_delivery set ${columns}, forced = false, millis = ${millis} where ${row}`
  const [hook] = yield* sql`
    update webhook set failures = failures + 1, failing_since = coalesce(failing_since, ${at})
    where id = ${delivery.webhook} returning failures, failing_since`.pipe(failureRows)
  if (hook === undefined) return
  if (attempt.status === 410) {
    return yield* pause(
      delivery.webhook,
      "The target answered 410 (Gone). POST /v1/webhooks/{id}/resume sends again, or delete the webhook."
    )
  }
  if (at.getTime() - (hook.failing_since ?? at).getTime() >= giveUpAfter) {
    return yield* pause(
      delivery.webhook,
      `Every attempt of two days failed; the last delivery: ${error}. Repair the target, check it with POST /v1/webhooks/{id}/test, then POST /v1/webhooks/{id}/resume.`
    )
  }
  if (hook.failures >= failing) {
    const rest = Math.min(waitAfter(hook.failures - failing + 1, share), longestRest)
    yield* sql`update webhook set retry_at = ${new Date(at.getTime() + rest)} where id = ${delivery.webhook}`
  }
}, inTransaction)

const now = Effect.map(Clock.currentTimeMillis, (ms) => new Date(ms))

const rowsOfId = rowsOf({ id: Schema.String })

const newMessage = (sql: SqlClient.SqlClient) =>
  sql.literal("'msg_' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 24)")
