/** What owners do with their webhooks. `Deliverer` sends. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { lockAccount } from "../credits/lockAccount.ts"
import { Secret } from "../credits/Secret.ts"
import { EventFeed } from "../events/EventFeed.ts"
import { filterOf } from "../events/read/filter.ts"
import { isoTime } from "../plugin/Value.ts"
import { providing } from "../process/providing.ts"
import { Feeds } from "../readings/Feeds.ts"
import { type Raw, wholeNumber } from "../readings/read/parameters.ts"
import { rowsOf } from "../sql/rows.ts"
import type {
  Webhook,
  WebhookCreated,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookRequest,
  WebhookRotation
} from "../wire/events/webhooks.ts"
import { BadParameter, type UnknownSymbol } from "../wire/problems/request.ts"
import { TooManyWebhooks, type TooManyWebhookTests, WebhookUnknown } from "../wire/problems/webhooks.ts"
import { challengeBody, challengedFor, challengeType } from "./challenge.ts"
import { countProbe } from "./probes.ts"
import { giveUpAfter } from "./schedule.ts"
import { overlap, secretOf } from "./signature.ts"
import { Targets } from "./Targets.ts"

/** Webhooks of one account. */
const most = 20

const WebhookRow = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  symbol: Schema.NullOr(Schema.String),
  category: Schema.NullOr(Schema.String),
  kind: Schema.NullOr(Schema.String),
  state: Schema.Literals(["active", "paused"]),
  paused_by: Schema.NullOr(Schema.Literals(["owner", "service"])),
  paused_at: Schema.NullOr(Schema.Date),
  pause_reason: Schema.NullOr(Schema.String),
  failures: Schema.Int,
  failing_since: Schema.NullOr(Schema.Date),
  failure: Schema.NullOr(Schema.String),
  delivered_at: Schema.NullOr(Schema.Date),
  created_at: Schema.Date,
  challenged_at: Schema.NullOr(Schema.Date),
  challenge_error: Schema.NullOr(Schema.String),
  pending: Schema.Int
})
interface WebhookRow extends Schema.Schema.Type<typeof WebhookRow> {}

const DeliveryRow = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  event: Schema.NullOr(Schema.Finite),
  state: Schema.Literals(["pending", "delivered", "failed"]),
  attempts: Schema.Int,
  created_at: Schema.Date,
  due_at: Schema.Date,
  attempted_at: Schema.NullOr(Schema.Date),
  status: Schema.NullOr(Schema.Int),
  error: Schema.NullOr(Schema.String),
  millis: Schema.NullOr(Schema.Int)
})
interface DeliveryRow extends Schema.Schema.Type<typeof DeliveryRow> {}

const webhookRows = rowsOf(WebhookRow.fields)
const deliveryRows = rowsOf(DeliveryRow.fields)
const countRows = rowsOf({ n: Schema.Int })
const epochRows = rowsOf({ secret_epoch: Schema.Int })
const typeRows = rowsOf({ type: Schema.String })

const unknown = (what: string) => new WebhookUnknown({ message: `This account has no ${what} with this id.` })

const time = (at: Date) => isoTime(at.getTime())

type CreateParams = typeof WebhookRequest.Type

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /**
     * Challenges the target, and sends it events from now on once it has answered. Fails with what is wrong with the target or
     * the filter.
     */
    readonly create: (
      account: string,
      params: CreateParams
    ) => Effect.Effect<
      typeof WebhookCreated.Type,
      BadParameter | UnknownSymbol | TooManyWebhooks | TooManyWebhookTests | SqlError
    >
    readonly list: (account: string) => Effect.Effect<ReadonlyArray<Webhook>, SqlError>
    readonly find: (account: string, id: string) => Effect.Effect<Webhook, WebhookUnknown | SqlError>
    readonly remove: (account: string, id: string) => Effect.Effect<void, WebhookUnknown | SqlError>
    readonly pause: (account: string, id: string) => Effect.Effect<Webhook, WebhookUnknown | SqlError>
    /** Sends again, first what has not been delivered. */
    readonly resume: (account: string, id: string) => Effect.Effect<Webhook, WebhookUnknown | SqlError>
    readonly rotate: (
      account: string,
      id: string
    ) => Effect.Effect<typeof WebhookRotation.Type, WebhookUnknown | SqlError>
    /** Sends a message of no event at once, whether or not the webhook is paused: a challenge, until one was answered. */
    readonly test: (
      account: string,
      id: string
    ) => Effect.Effect<WebhookDelivery, WebhookUnknown | TooManyWebhookTests | SqlError>
    readonly deliveries: (
      account: string,
      id: string,
      params: { readonly limit?: Raw; readonly cursor?: string | undefined }
    ) => Effect.Effect<typeof WebhookDeliveries.Type, BadParameter | WebhookUnknown | SqlError>
    /** Sends a delivery again, under the same id. */
    readonly redeliver: (
      account: string,
      id: string,
      delivery: string
    ) => Effect.Effect<WebhookDelivery, WebhookUnknown | TooManyWebhookTests | SqlError>
  }
>()("core/webhooks/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, EventFeed, Feeds, Secret, SecureRandom, Targets)
      return Webhooks.of({
        create: provided(create),
        list: provided((account) => read(account, null)),
        find: provided(find),
        remove: provided(remove),
        pause: provided(pause),
        resume: provided(resume),
        rotate: provided(rotate),
        test: provided(test),
        deliveries: provided(deliveries),
        redeliver: provided(redeliver)
      })
    })
  )
}

const create = Effect.fn("Webhooks.create")(function* (account: string, params: CreateParams) {
  const sql = yield* SqlClient.SqlClient
  const secret = yield* Secret
  const targets = yield* Targets
  const feed = yield* EventFeed
  const refusal = targets.refusal(params.url)
  if (refusal !== undefined) {
    const valid = "an https URL of a public host"
    return yield* new BadParameter({ field: "url", message: `url ${refusal}. Send ${valid}.`, valid })
  }
  // Only to refuse what is wrong with it.
  yield* filterOf(params)
  const id = yield* newId("wh")
  const { newest } = yield* feed.bounds
  yield* Effect.gen(function* () {
    yield* lockAccount(account)
    const [count] = yield* sql`select count(*)::int as n from webhook where account = ${account}`.pipe(
      countRows
    )
    if ((count?.n ?? 0) >= most) {
      return yield* new TooManyWebhooks({
        message: `This account has ${most} webhooks, the most there can be.`
      })
    }
    yield* countProbe(account, params.url, "challenge")
    yield* sql`insert into webhook ${sql.insert({
      id,
      account,
      url: params.url,
      symbol: params.symbol ?? null,
      category: params.category ?? null,
      kind: params.kind ?? null,
      seen: newest,
      created_at: yield* now
    })}`
    yield* addChallenge(id, challengedFor)
  }).pipe(sql.withTransaction)
  return { ...(yield* Effect.orDie(find(account, id))), secret: secretOf(secret, id, 1) }
})

const find = Effect.fn("Webhooks.find")(function* (account: string, id: string) {
  const [webhook] = yield* read(account, id)
  return webhook ?? (yield* unknown("webhook"))
})

const remove = Effect.fn("Webhooks.remove")(function* (account: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from webhook where id = ${id} and account = ${account} returning id`
  if (removed.length === 0) return yield* unknown("webhook")
})

const pause = Effect.fn("Webhooks.pause")(function* (account: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* change(
    account,
    id,
    sql`update webhook set state = 'paused', paused_by = 'owner', paused_at = ${yield* now},
        pause_reason = 'You paused it; POST /v1/webhooks/{id}/resume sends again.'
      where id = ${id} and account = ${account} returning id`
  )
})

const resume = Effect.fn("Webhooks.resume")(function* (account: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const at = yield* now
  return yield* change(
    account,
    id,
    sql`update webhook set state = 'active', paused_by = null, paused_at = null, pause_reason = null, failures = 0,
        failing_since = null, retry_at = null
      where id = ${id} and account = ${account} returning id`.pipe(
      Effect.tap(
        sql`update webhook_delivery set due_at = ${at}, give_up_at = ${new Date(at.getTime() + giveUpAfter)}
          where state = 'pending' and webhook in (select id from webhook where id = ${id} and account = ${account})`
      ),
      sql.withTransaction
    )
  )
})

const rotate = Effect.fn("Webhooks.rotate")(function* (account: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const secret = yield* Secret
  const until = new Date((yield* Clock.currentTimeMillis) + overlap)
  const [rotated] = yield* sql`
    update webhook set secret_epoch = secret_epoch + 1, previous_until = ${until}
    where id = ${id} and account = ${account} returning secret_epoch`.pipe(epochRows)
  if (rotated === undefined) return yield* unknown("webhook")
  return { secret: secretOf(secret, id, rotated.secret_epoch), previous_until: time(until) }
})

const test = Effect.fn("Webhooks.test")(function* (account: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const { unchallenged, url } = yield* find(account, id)
  const message = yield* Effect.gen(function* () {
    yield* lockAccount(account)
    yield* countProbe(account, url, "test")
    // Each is tried once.
    return unchallenged === undefined ? yield* addMessage(id, testMessage, 0) : yield* addChallenge(id, 0)
  }).pipe(sql.withTransaction)
  return yield* findDelivery(id, message)
})

const testMessage = {
  type: "webhook.test",
  body: JSON.stringify({ message: "This is a test. Events look the same, with a signed event as `data`." })
}

/** Sends a message about the webhook itself at once, and for so long again, in milliseconds. Returns its id. */
const addMessage = Effect.fnUntraced(function* (
  webhook: string,
  message: { readonly type: string; readonly body: string },
  retried: number
) {
  const sql = yield* SqlClient.SqlClient
  const at = yield* now
  const id = yield* newId("msg")
  yield* sql`insert into webhook_delivery ${sql.insert({
    id,
    webhook,
    ...message,
    forced: true,
    created_at: at,
    due_at: at,
    give_up_at: new Date(at.getTime() + retried)
  })}`
  return id
})

const addChallenge = Effect.fnUntraced(function* (webhook: string, retried: number) {
  const token = yield* newId("challenge")
  return yield* addMessage(webhook, { type: challengeType, body: challengeBody(token) }, retried)
})

const deliveries = Effect.fn("Webhooks.deliveries")(function* (
  account: string,
  id: string,
  params: { readonly limit?: Raw; readonly cursor?: string | undefined }
) {
  const sql = yield* SqlClient.SqlClient
  const limit = yield* wholeNumber("limit", params.limit, { min: 1, max: 500, fallback: 100 })
  yield* find(account, id)
  const [, at, after] = /^(\d{1,15})_(msg_[0-9a-f]+)$/.exec(params.cursor ?? "") ?? []
  if (params.cursor !== undefined && after === undefined) {
    const valid = "next_cursor of the previous page"
    return yield* new BadParameter({ field: "cursor", message: `cursor must be ${valid}.`, valid })
  }
  const page = yield* readDeliveries(
    after === undefined
      ? sql`webhook = ${id}`
      : sql`webhook = ${id} and (created_at, id) < (${new Date(Number(at))}, ${after})`,
    limit
  )
  const last = page.at(-1)
  return {
    deliveries: page,
    ...(last !== undefined && page.length === limit
      ? { next_cursor: `${Date.parse(last.created_at)}_${last.id}` }
      : {})
  }
})

const redeliver = Effect.fn("Webhooks.redeliver")(function* (account: string, id: string, delivery: string) {
  const sql = yield* SqlClient.SqlClient
  const { url } = yield* find(account, id)
  const at = yield* now
  return yield* Effect.gen(function* () {
    yield* lockAccount(account)
    const [message] =
      yield* sql`select type from webhook_delivery where id = ${delivery} and webhook = ${id}`.pipe(typeRows)
    if (message === undefined) return yield* unknown("delivery")
    if (message.type === testMessage.type || message.type === challengeType)
      yield* countProbe(account, url, "test")
    yield* sql`
      update webhook_delivery set state = 'pending', forced = true, due_at = ${at}, give_up_at = ${at}
      where id = ${delivery} and webhook = ${id}`
    return yield* findDelivery(id, delivery)
  }).pipe(sql.withTransaction)
})

/** The webhook after an update of it, which returns its row. */
const change = Effect.fnUntraced(function* (
  account: string,
  id: string,
  update: Effect.Effect<ReadonlyArray<object>, SqlError>
) {
  const changed = yield* update
  return changed.length === 0 ? yield* unknown("webhook") : yield* find(account, id)
})

/** The webhooks of an account, or one of them. */
const read = Effect.fnUntraced(function* (account: string, id: string | null) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select w.id, w.url, w.symbol, w.category, w.kind, w.state, w.paused_by, w.paused_at, w.pause_reason, w.failures,
      w.failing_since, w.delivered_at, w.created_at, w.challenged_at,
      (select d.error from webhook_delivery d where d.webhook = w.id and d.type = ${challengeType}
        order by d.created_at desc, d.id desc limit 1) as challenge_error,
      (select count(*)::int from webhook_delivery d where d.webhook = w.id and d.state = 'pending') as pending,
      (select d.error from webhook_delivery d where d.webhook = w.id and d.error is not null
        order by d.attempted_at desc limit 1) as failure
    from webhook w where w.account = ${account} and (${id}::text is null or w.id = ${id})
    order by w.created_at, w.id limit ${most}`.pipe(webhookRows)
  return rows.map(webhookOf)
})

const webhookOf = (row: WebhookRow): Webhook => ({
  id: row.id,
  url: row.url,
  ...(row.symbol === null ? {} : { symbol: row.symbol }),
  ...(row.category === null ? {} : { category: row.category }),
  ...(row.kind === null ? {} : { kind: row.kind }),
  state: row.state === "active" && row.challenged_at === null ? "unchallenged" : row.state,
  ...(row.challenged_at === null
    ? { unchallenged: { since: time(row.created_at), reason: reasonOf(row.challenge_error) } }
    : {}),
  ...(row.paused_by === null || row.paused_at === null
    ? {}
    : {
        paused: { by: row.paused_by, at: time(row.paused_at), reason: row.pause_reason ?? "" }
      }),
  ...(row.failing_since === null
    ? {}
    : {
        failing: {
          since: time(row.failing_since),
          failures: row.failures,
          error: row.failure ?? "unknown"
        }
      }),
  pending: row.pending,
  ...(row.delivered_at === null ? {} : { delivered_at: time(row.delivered_at) }),
  created_at: time(row.created_at)
})

/** What the owner of a target that has not answered its challenge can do. */
const reasonOf = (error: string | null): string =>
  `The target gets events once it has answered its challenge${error === null ? "" : ` (the last one: ${error})`}: a message of type ${challengeType}, to be answered 2xx with {"challenge": "<data.challenge>"}. POST /v1/webhooks/{id}/test sends another.`

const findDelivery = Effect.fnUntraced(function* (webhook: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const [delivery] = yield* readDeliveries(sql`webhook = ${webhook} and id = ${id}`, 1)
  return delivery ?? (yield* unknown("delivery"))
})

/** The newest deliveries of which a condition is true. */
const readDeliveries = Effect.fnUntraced(function* (condition: Fragment, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select id, type, event::float8 as event, state, attempts, created_at, due_at, attempted_at, status, error, millis
    from webhook_delivery where ${condition} order by created_at desc, id desc limit ${limit}`.pipe(
    deliveryRows
  )
  return rows.map(deliveryOf)
})

const deliveryOf = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  type: row.type,
  ...(row.event === null ? {} : { event_id: row.event }),
  state: row.state,
  attempts: row.attempts,
  created_at: time(row.created_at),
  ...(row.state === "pending" ? { next_attempt_at: time(row.due_at) } : {}),
  ...(row.attempted_at === null ? {} : { attempted_at: time(row.attempted_at) }),
  ...(row.status === null ? {} : { status: row.status }),
  ...(row.error === null ? {} : { error: row.error }),
  ...(row.millis === null ? {} : { millis: row.millis })
})

const newId = Effect.fnUntraced(function* (prefix: string) {
  const random = yield* SecureRandom
  return `${prefix}_${Hex.encode(yield* random.randomBytes(12))}`
})

const now = Effect.map(Clock.currentTimeMillis, (ms) => new Date(ms))
