/**
 * Sends the messages of alerts. An attempt is claimed in SQL, with the text that all attempts have, so a message is tried by one
 * process at a time and at least once, under one id, whatever ends in between.
 */
import { Clock, Context, Effect, Layer, Random, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Secret } from "../credits/Secret.ts"
import { PublicAddress } from "../log/record/attest.ts"
import { minute } from "../plugin/time.ts"
import { providing } from "../process/providing.ts"
import { rowsOf } from "../sql/rows.ts"
import { deliver } from "../webhooks/handOver.ts"
import { concluded, isDue } from "../webhooks/outbox.ts"
import { AlertCrossing } from "../wire/alerts/alert.ts"
import { conditionSays } from "./condition.ts"
import { wallTime } from "./ids.ts"
import { linkOf } from "./links.ts"
import { Messengers, type Outcome, type SentChannel } from "./Messengers.ts"
import { mailboxId, mailboxOf } from "./mailbox.ts"
import { confirmationText, crossingsText } from "./message.ts"
import { isRefused } from "./refusals.ts"
import { StoredAlert, subjectOf } from "./stored.ts"

/** Attempts at a time: none holds the next ones longer than its time limit. */
const mostAttempts = 32

/** Of them for one account: dead targets of one do not take the places of others. */
const mostOfAccount = 8

/** An attempt ends well before its claim does, in milliseconds. */
const claim = 2 * minute

/** Crossings that a message may tell one by one. */
const mostTold = 50

const Body = Schema.Struct({
  subject: Schema.String,
  text: Schema.String,
  endUrl: Schema.optionalKey(Schema.String)
})
interface Body extends Schema.Schema.Type<typeof Body> {}

const dueRows = rowsOf({
  delivery: Schema.String,
  type: Schema.Literals(["confirmation", "crossings"]),
  body: Schema.NullOr(Schema.fromJsonString(Body)),
  attempts: Schema.Int,
  give_up_at: Schema.Date,
  id: StoredAlert.fields.id,
  condition: StoredAlert.fields.condition,
  symbol: StoredAlert.fields.symbol,
  category: StoredAlert.fields.category,
  metric: StoredAlert.fields.metric,
  source: StoredAlert.fields.source,
  channel: StoredAlert.fields.channel
})
type DueMessage = Effect.Success<ReturnType<typeof dueRows<never, never>>>[number]

const crossingRows = rowsOf({ body: Schema.fromJsonString(AlertCrossing), total: Schema.Int })

interface Claimed extends Omit<DueMessage, "body" | "channel"> {
  readonly channel: SentChannel
  readonly body: Body
  readonly claimedUntil: Date
}

export class AlertSender extends Context.Service<
  AlertSender,
  {
    /** Tries what is due; returns the number of attempts. */
    readonly run: Effect.Effect<number, SqlError>
  }
>()("core/alerts/AlertSender") {
  static readonly layer = Layer.effect(
    AlertSender,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, Messengers, Secret)
      return AlertSender.of({ run: provided(run)() })
    })
  )
}

const run = Effect.fn("AlertSender.run")(function* () {
  const sql = yield* SqlClient.SqlClient
  const claimed = yield* sql.withTransaction(claimSome)
  yield* Effect.forEach(claimed, attempt, { concurrency: mostAttempts, discard: true })
  return claimed.length
})

/** Claims what is due, and writes down what it says. What goes to a webhook is handed to its deliverer at once. */
const claimSome = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* wallTime
  const due = yield* sql`
    select d.id as delivery, d.type, d.body, d.attempts, d.give_up_at, a.id, a.condition, a.symbol, a.category, a.metric,
      a.source, a.channel
    from (
      select m.id, row_number() over (partition by o.account order by m.due_at, m.id) as nth
      from alert_delivery m join alert o on o.id = m.alert
      where ${isDue(sql, "m", now)}
        and (m.type = 'confirmation' or o.state = 'active')
    ) due join alert_delivery d on d.id = due.id join alert a on a.id = d.alert
    where due.nth <= ${mostOfAccount} and ${isDue(sql, "d", now)}
    order by d.due_at, d.id limit ${mostAttempts} for update of d skip locked`.pipe(dueRows)
  const claimed: Array<Claimed> = []
  for (const message of due) {
    const { channel } = message
    if (channel.kind === "webhook") yield* handOver(channel.webhook_id, message, now)
    else if (channel.kind === "email" && (yield* isRefused(mailboxOf(channel.address))))
      yield* endAlert(message.id)
    else if (channel.kind !== "feed") claimed.push(yield* claimOne({ ...message, channel }, now))
  }
  return claimed
})

/** Its receiver refused all mail while it was being made. */
const endAlert = Effect.fnUntraced(function* (alert: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from alert where id = ${alert}`
})

const claimOne = Effect.fnUntraced(function* (
  message: DueMessage & { readonly channel: SentChannel },
  now: Date
) {
  const sql = yield* SqlClient.SqlClient
  const body = message.body ?? (yield* bodyOf(message))
  const attempts = message.attempts + 1
  const claimedUntil = new Date(now.getTime() + claim)
  yield* sql`
    update alert_delivery set claimed_until = ${claimedUntil}, attempts = ${attempts}, body = ${JSON.stringify(body)}
    where id = ${message.delivery}`
  return { ...message, body, attempts, claimedUntil } satisfies Claimed
})

/** The crossings of a message, as many as it tells one by one, and how many there are. */
const toldBy = Effect.fnUntraced(function* (delivery: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select body, count(*) over ()::int as total from alert_crossing
    where delivery = ${delivery} order by n limit ${mostTold}`.pipe(crossingRows)
  return { crossings: rows.map(({ body }) => body), total: rows[0]?.total ?? 0 }
})

const bodyOf = Effect.fnUntraced(function* (message: DueMessage) {
  const secret = yield* Secret
  const base = yield* PublicAddress
  const says = conditionSays(message.condition, subjectOf(message))
  if (message.type === "confirmation")
    return confirmationText(
      says,
      linkOf(base, secret, "confirm", message.id),
      message.channel.kind === "email"
        ? linkOf(base, secret, "never", mailboxId(mailboxOf(message.channel.address)))
        : undefined
    ) satisfies Body
  const { crossings, total } = yield* toldBy(message.delivery)
  const endUrl = linkOf(base, secret, "end", message.id)
  const feedUrl = linkOf(base, secret, "feed", message.id)
  const texts = crossingsText({ says, channel: message.channel.kind, endUrl, feedUrl }, crossings, total)
  return { ...texts, endUrl } satisfies Body
})

/** Makes it a delivery of the webhook, under the same id, with the retries and the signature of all of them. */
const handOver = Effect.fnUntraced(function* (webhook: string, message: DueMessage, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const secret = yield* Secret
  const base = yield* PublicAddress
  const { crossings, total } = yield* toldBy(message.delivery)
  const body = JSON.stringify({
    alert: message.id,
    says: conditionSays(message.condition, subjectOf(message)),
    crossings,
    ...(total > crossings.length ? { more: total - crossings.length } : {}),
    end_url: linkOf(base, secret, "end", message.id)
  })
  const isTaken = yield* deliver(webhook, { id: message.delivery, type: "alert.crossed", body }, now)
  yield* sql`
    update alert_delivery set attempts = 1, attempted_at = ${now}, state = ${isTaken ? "delivered" : "failed"},
      error = ${isTaken ? null : "the webhook was removed"}
    where id = ${message.delivery}`
})

const attempt = Effect.fn("AlertSender.attempt")(
  function* (message: Claimed) {
    const messengers = yield* Messengers
    const outcome = yield* messengers.send(message.channel, { id: message.delivery, ...message.body })
    yield* keep(message, outcome)
  },
  Effect.catchCause((cause) => Effect.logError("an attempt to send the message of an alert failed", cause))
)

/** Writes down what came of an attempt, and when the next one is. */
const keep = Effect.fnUntraced(function* (message: Claimed, outcome: Outcome) {
  const sql = yield* SqlClient.SqlClient
  const at = yield* Clock.currentTimeMillis
  const claim = { ...message, id: message.delivery, claimed_until: message.claimedUntil }
  const { columns, row } = concluded(sql, claim, at, outcome, yield* Random.next)
  yield* sql`update alert_delivery set ${columns} where ${row}`
})
