/**
 * Sends yesterday to those who asked for it, once per closed day. A message is claimed in SQL with the text that all attempts have, as
 * the messages of alerts are.
 */
import { Clock, Context, Effect, Layer, Random, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Secret } from "../credits/Secret.ts"
import { newestClosedDay } from "../log/closedDays.ts"
import { PublicAddress } from "../log/record/attest.ts"
import { day as dayMs, hour, minute } from "../plugin/time.ts"
import { providing } from "../process/providing.ts"
import type { Due } from "../readings/removing.ts"
import { rowsOf } from "../sql/rows.ts"
import { concluded, isDue } from "../webhooks/outbox.ts"
import { DayWords } from "./DayWords.ts"
import { newId, wallTime } from "./ids.ts"
import { linkOf } from "./links.ts"
import { Messengers } from "./Messengers.ts"
import { mailboxId } from "./mailbox.ts"
import { morningConfirmationText, morningText } from "./message.ts"
import { isRefused } from "./refusals.ts"

/** Messages that are queued, and attempts, in one pass. */
const mostQueued = 500
const mostAttempts = 32

/** An attempt ends well before its claim does, in milliseconds. */
const claim = 2 * minute

/** Yesterday is of use for a day; who confirms nothing is forgotten after a week. */
const triedFor = 20 * hour
const unconfirmedFor = 7 * dayMs

const Body = Schema.Struct({
  subject: Schema.String,
  text: Schema.String,
  endUrl: Schema.optionalKey(Schema.String)
})

const queuedRows = rowsOf({ id: Schema.String })
const dueRows = rowsOf({
  id: Schema.String,
  day: Schema.NullOr(Schema.String),
  body: Schema.NullOr(Schema.fromJsonString(Body)),
  attempts: Schema.Int,
  give_up_at: Schema.Date,
  morning: Schema.String,
  address: Schema.String,
  mailbox: Schema.String,
  title: Schema.String,
  scope: Schema.NullOr(Schema.fromJsonString(Schema.Array(Schema.String)))
})
type DueMessage = Effect.Success<ReturnType<typeof dueRows<never, never>>>[number]

export class MorningSender extends Context.Service<
  MorningSender,
  {
    /** Queues the newest closed day for those who have not had it, and tries what is due; returns the number of attempts. */
    readonly run: Effect.Effect<number, SqlError>
    /** Removes messages that are over, and what nobody has confirmed. */
    readonly removeOld: (due: Due) => Effect.Effect<void, SqlError>
  }
>()("core/alerts/MorningSender") {
  static readonly layer = Layer.effect(
    MorningSender,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, DayWords, Messengers, Secret, SecureRandom)
      return MorningSender.of({ run: provided(run)(), removeOld: provided(removeOld) })
    })
  )
}

const run = Effect.fn("MorningSender.run")(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(queueNewest)
  const claimed = yield* sql.withTransaction(claimSome)
  yield* Effect.forEach(claimed, attempt, { concurrency: mostAttempts, discard: true })
  return claimed.length
})

/** One message for each subscription that has not had the newest closed day: a day that was missed is not made up for. */
const queueNewest = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const date = yield* newestClosedDay
  const now = yield* wallTime
  const owed = yield* sql`
    update morning set told_day = ${date}::date where id in (
      select id from morning where state = 'active' and told_day < ${date}::date
      order by id limit ${mostQueued} for update skip locked
    ) returning id`.pipe(queuedRows)
  for (const { id } of owed)
    yield* sql`insert into morning_message ${sql.insert({
      id: yield* newId("msg"),
      morning: id,
      day: date,
      created_at: now,
      due_at: now,
      give_up_at: new Date(now.getTime() + triedFor)
    })}`
})

/** Claims what is due, and writes down what it says. */
const claimSome = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = yield* wallTime
  const due = yield* sql`
    select m.id, m.day::text as day, m.body, m.attempts, m.give_up_at, o.id as morning, o.address, o.mailbox, o.title, o.scope
    from morning_message m join morning o on o.id = m.morning
    where ${isDue(sql, "m", now)} order by m.due_at, m.id limit ${mostAttempts} for update of m skip locked`.pipe(
    dueRows
  )
  const claimed: Array<Effect.Success<ReturnType<typeof claimOne>>> = []
  for (const message of due) {
    // Its receiver refused all mail meanwhile.
    if (yield* isRefused(message.mailbox)) yield* sql`delete from morning where id = ${message.morning}`
    else claimed.push(yield* claimOne(message, now))
  }
  return claimed
})

const claimOne = Effect.fnUntraced(function* (message: DueMessage, now: Date) {
  const sql = yield* SqlClient.SqlClient
  const body = message.body ?? (yield* bodyOf(message))
  const attempts = message.attempts + 1
  const claimed_until = new Date(now.getTime() + claim)
  yield* sql`
    update morning_message set claimed_until = ${claimed_until}, attempts = ${attempts}, body = ${JSON.stringify(body)}
    where id = ${message.id}`
  return { ...message, body, attempts, claimed_until }
})

const bodyOf = Effect.fnUntraced(function* ({ day, mailbox, morning, scope, title }: DueMessage) {
  const secret = yield* Secret
  const base = yield* PublicAddress
  const neverUrl = linkOf(base, secret, "never", mailboxId(mailbox))
  if (day === null)
    return morningConfirmationText(title, linkOf(base, secret, "confirm", morning, "mornings"), neverUrl)
  const endUrl = linkOf(base, secret, "end", morning, "mornings")
  const lines = (yield* (yield* DayWords).linesOf(day, scope)) ?? []
  return { ...morningText({ title, day, lines, endUrl, page: `${base}/changes/${day}` }), endUrl }
})

const attempt = Effect.fn("MorningSender.attempt")(
  function* (message: Effect.Success<ReturnType<typeof claimOne>>) {
    const sql = yield* SqlClient.SqlClient
    const { send } = yield* Messengers
    const outcome = yield* send(
      { kind: "email", address: message.address },
      { id: message.id, ...message.body }
    )
    const at = yield* Clock.currentTimeMillis
    const { columns, row } = concluded(sql, message, at, outcome, yield* Random.next)
    yield* sql`update morning_message set ${columns} where ${row}`
  },
  Effect.catchCause((cause) => Effect.logError("an attempt to send yesterday by mail failed", cause))
)

const removeOld = Effect.fn("MorningSender.removeOld")(function* (due: Due) {
  const sql = yield* SqlClient.SqlClient
  const before = new Date(due.wall - unconfirmedFor)
  yield* sql`delete from morning where state = 'unconfirmed' and created_at < ${before}`
  yield* sql`delete from morning_message where state <> 'pending' and created_at < ${before}`
})
