/** What owners and addressees do with alerts. `AlertWatch` looks, and `AlertSender` sends. */
import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { lockAccount } from "../credits/lockAccount.ts"
import { Secret } from "../credits/Secret.ts"
import { tiers } from "../credits/tiers.ts"
import { EventFeed } from "../events/EventFeed.ts"
import { LogKey } from "../log/Log.ts"
import { PublicAddress } from "../log/record/attest.ts"
import { hour } from "../plugin/time.ts"
import { isoTime } from "../plugin/Value.ts"
import { providing } from "../process/providing.ts"
import { Feeds } from "../readings/Feeds.ts"
import { type Raw, wholeNumber } from "../readings/read/parameters.ts"
import { usable } from "../readings/read/rights.ts"
import { rowsOf } from "../sql/rows.ts"
import { toldOf } from "../webhooks/told.ts"
import {
  type Alert,
  AlertCrossing,
  type AlertCrossings,
  type AlertList,
  type AlertRequest,
  type ChannelKind,
  minInterval
} from "../wire/alerts/alert.ts"
import type { AccountTier } from "../wire/credits/tiers.ts"
import { AlertUnknown, TooManyAlerts, type TooManyConfirmations } from "../wire/problems/alerts.ts"
import { BadParameter, type UnknownSymbol } from "../wire/problems/request.ts"
import { activate } from "./activate.ts"
import { checkedRequest, countConfirmation } from "./checked.ts"
import { conditionSays } from "./condition.ts"
import { newId, wallTime } from "./ids.ts"
import { isToken, type LinkKind, linkOf } from "./links.ts"
import { Messengers } from "./Messengers.ts"
import { mailboxOfId } from "./mailbox.ts"
import { refuseMail } from "./refusals.ts"
import { alertColumns, alertRows, StoredAlert, stateOf, subjectOf } from "./stored.ts"

/** How long the message that asks for a confirmation is tried, in milliseconds. */
const askedFor = hour

const ownRows = rowsOf({
  ...StoredAlert.fields,
  crossings: Schema.Int,
  last_error: Schema.NullOr(Schema.String)
})
const countRows = rowsOf({ n: Schema.Int })
const crossingRows = rowsOf({ n: Schema.Finite, body: Schema.fromJsonString(AlertCrossing) })

/** An owner, as far as alerts depend on it. */
export interface AlertOwner {
  readonly id: string
  readonly tier: AccountTier
}

export interface AlertPage {
  readonly limit?: Raw
  readonly cursor?: string | undefined
}

/** An alert as whoever has one of its addresses sees it. */
export interface LinkedAlert {
  readonly id: string
  readonly says: string
  readonly state: Alert["state"]
}

export class Alerts extends Context.Service<
  Alerts,
  {
    /** The channels that messages can be sent to, beside webhooks and feeds. */
    readonly offered: ReadonlySet<ChannelKind>
    /** Asks the addressee for a confirmation; a feed and a webhook of the account need none. `network` is that of whoever asks. */
    readonly create: (
      owner: AlertOwner,
      request: AlertRequest,
      network: string
    ) => Effect.Effect<Alert, BadParameter | UnknownSymbol | TooManyAlerts | TooManyConfirmations | SqlError>
    readonly list: (owner: AlertOwner) => Effect.Effect<AlertList, SqlError>
    readonly find: (account: string, id: string) => Effect.Effect<Alert, AlertUnknown | SqlError>
    /** The path that ends, pauses or resumes an alert: only who made it is to have it, and of the end who gets its messages. */
    readonly pathTo: (kind: "end" | "pause" | "resume", id: string) => string
    readonly remove: (account: string, id: string) => Effect.Effect<void, AlertUnknown | SqlError>
    readonly crossings: (
      account: string,
      id: string,
      page: AlertPage
    ) => Effect.Effect<AlertCrossings, AlertUnknown | BadParameter | SqlError>
    /** The alert of an address; fails if the address is of no alert. */
    readonly linked: (
      kind: LinkKind,
      id: string,
      token: string
    ) => Effect.Effect<LinkedAlert, AlertUnknown | SqlError>
    /** By the addressee; again without effect. */
    readonly confirm: (id: string, token: string) => Effect.Effect<LinkedAlert, AlertUnknown | SqlError>
    /** By the addressee: the alert is gone. */
    readonly end: (id: string, token: string) => Effect.Effect<LinkedAlert, AlertUnknown | SqlError>
    /** By the owner: nothing is looked at until he resumes it; what was recorded before is still sent. Again without effect. */
    readonly pause: (id: string, token: string) => Effect.Effect<LinkedAlert, AlertUnknown | SqlError>
    /** By the owner: what is true then is no crossing. Again without effect. */
    readonly resume: (id: string, token: string) => Effect.Effect<LinkedAlert, AlertUnknown | SqlError>
    /** The mailbox that an address for refusing all mail is of; fails if it is none. */
    readonly mailbox: (id: string, token: string) => Effect.Effect<string, AlertUnknown>
    /** By the receiver: no mail of this service goes to the mailbox any more, whoever asks. Again without effect. */
    readonly refuseMail: (id: string, token: string) => Effect.Effect<string, AlertUnknown | SqlError>
    /** What happened, for whoever has the address of the feed, newest first. */
    readonly feed: (
      id: string,
      token: string
    ) => Effect.Effect<
      { readonly alert: LinkedAlert; readonly crossings: ReadonlyArray<AlertCrossing> },
      AlertUnknown | SqlError
    >
  }
>()("core/alerts/Alerts") {
  static readonly layer = Layer.effect(
    Alerts,
    Effect.gen(function* () {
      const provided = yield* providing(
        SqlClient.SqlClient,
        EventFeed,
        Feeds,
        LogKey,
        Messengers,
        Secret,
        SecureRandom
      )
      const secret = yield* Secret
      return Alerts.of({
        offered: (yield* Messengers).offered,
        create: provided(create),
        list: provided(list),
        find: provided(find),
        pathTo: (kind, id) => linkOf("", secret, kind, id),
        remove: provided(remove),
        crossings: provided(crossings),
        linked: provided(linked),
        confirm: provided(confirm),
        end: provided(end),
        pause: provided(pause),
        resume: provided(resume),
        mailbox: provided(mailbox),
        refuseMail: provided(refuse),
        feed: provided(feed)
      })
    })
  )
}

const unknown = () => new AlertUnknown({ message: "There is no such alert; one that was ended is gone." })

const create = Effect.fn("Alerts.create")(function* (
  owner: AlertOwner,
  params: AlertRequest,
  network: string
) {
  const sql = yield* SqlClient.SqlClient
  const request = yield* checkedRequest(owner.id, params)
  const id = yield* newId("al")
  yield* Effect.gen(function* () {
    yield* lockAccount(owner.id)
    const { alerts: limit, title } = tiers[owner.tier]
    const [count] = yield* sql`select count(*)::int as n from alert where account = ${owner.id}`.pipe(
      countRows
    )
    if ((count?.n ?? 0) >= limit) {
      const message = `The ${title} tier includes ${limit} alerts, and this account has as many. End one, or take a higher tier.`
      return yield* new TooManyAlerts({ message, limit })
    }
    const asks = yield* countConfirmation(owner.id, request.channel, network)
    yield* insert(id, owner.id, request)
    if (asks) return yield* askAddressee(id)
    const [alert] = yield* byId(id)
    if (alert !== undefined) yield* activate(alert)
  }).pipe(sql.withTransaction)
  return yield* Effect.orDie(find(owner.id, id))
})

const insert = Effect.fnUntraced(function* (id: string, account: string, request: AlertRequest) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into alert ${sql.insert({
    id,
    account,
    kind: request.condition.kind,
    condition: JSON.stringify(request.condition),
    symbol: request.symbol ?? null,
    category: request.category ?? null,
    metric: request.metric ?? null,
    source: request.source ?? null,
    channel: JSON.stringify(request.channel),
    quiet: request.quiet_hours === undefined ? null : JSON.stringify(request.quiet_hours),
    min_interval: request.min_interval ?? minInterval.usual,
    created_at: yield* wallTime
  })}`
})

const askAddressee = Effect.fnUntraced(function* (alert: string) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* wallTime
  yield* sql`insert into alert_delivery ${sql.insert({
    id: yield* newId("msg"),
    alert,
    type: "confirmation",
    created_at: now,
    due_at: now,
    give_up_at: new Date(now.getTime() + askedFor)
  })}`
})

const byId = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`select ${sql.literal(alertColumns)} from alert a where a.id = ${id}`.pipe(alertRows)
})

/** The alerts of an account, or one of them. */
const read = Effect.fnUntraced(function* (account: string, id: string | null) {
  const sql = yield* SqlClient.SqlClient
  const secret = yield* Secret
  const base = yield* PublicAddress
  const rows = yield* sql`
    select ${sql.literal(alertColumns)},
      (select count(*)::int from alert_crossing c where c.alert = a.id) as crossings,
      (select d.error from alert_delivery d where d.alert = a.id and d.state <> 'delivered' and d.error is not null
        order by d.created_at desc limit 1) as last_error
    from alert a where a.account = ${account} and (${id}::text is null or a.id = ${id})
    order by a.created_at, a.id limit ${tiers.enterprise.alerts}`.pipe(ownRows)
  return rows.map(
    (row): Alert => ({
      id: row.id,
      condition: row.condition,
      ...subjectOf(row),
      channel: row.channel,
      ...(row.quiet === null ? {} : { quiet_hours: row.quiet }),
      min_interval: row.min_interval,
      state: stateOf(row),
      says: conditionSays(row.condition, subjectOf(row)),
      feed_url: linkOf(base, secret, "feed", row.id),
      created_at: isoTime(row.created_at.getTime()),
      ...(row.confirmed_at === null ? {} : { confirmed_at: isoTime(row.confirmed_at.getTime()) }),
      crossings: row.crossings,
      ...(row.last_error === null ? {} : { last_error: row.last_error })
    })
  )
})

const list = Effect.fn("Alerts.list")(function* ({ id, tier }: AlertOwner) {
  return { alerts: yield* read(id, null), limit: tiers[tier].alerts }
})

const find = Effect.fn("Alerts.find")(function* (account: string, id: string) {
  const [alert] = yield* read(account, id)
  return alert ?? (yield* unknown())
})

const remove = Effect.fn("Alerts.remove")(function* (account: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  const removed = yield* sql`delete from alert where id = ${id} and account = ${account} returning id`
  if (removed.length === 0) return yield* unknown()
})

const newestOf = Effect.fnUntraced(function* (id: string, before: number | null, limit: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select n::float8 as n, body from alert_crossing
    where alert = ${id} and (${before}::bigint is null or n < ${before}::bigint) order by n desc limit ${limit}`.pipe(
    crossingRows
  )
})

const crossings = Effect.fn("Alerts.crossings")(function* (account: string, id: string, page: AlertPage) {
  const limit = yield* wholeNumber("limit", page.limit, { min: 1, max: 500, fallback: 100 })
  if (page.cursor !== undefined && !/^\d{1,15}$/.test(page.cursor)) {
    const valid = "next_cursor of the previous page"
    return yield* new BadParameter({ field: "cursor", message: `cursor must be ${valid}.`, valid })
  }
  yield* find(account, id)
  const rows = yield* newestOf(id, page.cursor === undefined ? null : Number(page.cursor), limit)
  const last = rows.at(-1)
  const may = yield* usable("show")
  return {
    crossings: rows.map(({ body }) => toldOf(body, may)),
    ...(last !== undefined && rows.length === limit ? { next_cursor: String(last.n) } : {})
  }
})

const linkedOf = (alert: StoredAlert): LinkedAlert => ({
  id: alert.id,
  says: conditionSays(alert.condition, subjectOf(alert)),
  state: stateOf(alert)
})

const stored = Effect.fnUntraced(function* (kind: LinkKind, id: string, token: string) {
  if (!isToken(yield* Secret, kind, id, token)) return yield* unknown()
  const [alert] = yield* byId(id)
  return alert ?? (yield* unknown())
})

const linked = Effect.fn("Alerts.linked")(function* (kind: LinkKind, id: string, token: string) {
  return linkedOf(yield* stored(kind, id, token))
})

const confirm = Effect.fn("Alerts.confirm")(function* (id: string, token: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.gen(function* () {
    yield* sql`select 1 from alert where id = ${id} for update`
    const alert = yield* stored("confirm", id, token)
    if (alert.state === "unconfirmed") yield* activate(alert)
    return linkedOf({ ...alert, state: "active" })
  }).pipe(sql.withTransaction)
})

const end = Effect.fn("Alerts.end")(function* (id: string, token: string) {
  const sql = yield* SqlClient.SqlClient
  const alert = yield* stored("end", id, token)
  yield* sql`delete from alert where id = ${id}`
  return linkedOf(alert)
})

const pause = Effect.fn("Alerts.pause")(function* (id: string, token: string) {
  const sql = yield* SqlClient.SqlClient
  const alert = yield* stored("pause", id, token)
  // One that waits for its confirmation is looked at by nobody.
  if (alert.state === "unconfirmed") return linkedOf(alert)
  const paused_since = alert.paused_since ?? (yield* wallTime)
  yield* sql`update alert set paused_since = ${paused_since} where id = ${id}`
  return linkedOf({ ...alert, paused_since })
})

const resume = Effect.fn("Alerts.resume")(function* (id: string, token: string) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.gen(function* () {
    yield* sql`select 1 from alert where id = ${id} for update`
    const alert = yield* stored("resume", id, token)
    const resumed = { ...alert, paused_since: null }
    if (alert.paused_since === null) return linkedOf(alert)
    yield* sql`update alert set paused_since = null where id = ${id}`
    // One beyond the limit of its tier begins when there is room.
    if (alert.over_limit_since === null) yield* activate(resumed)
    return linkedOf(resumed)
  }).pipe(sql.withTransaction)
})

const mailbox = Effect.fn("Alerts.mailbox")(function* (id: string, token: string) {
  return isToken(yield* Secret, "never", id, token) ? mailboxOfId(id) : yield* unknown()
})

const refuse = Effect.fn("Alerts.refuse")(function* (id: string, token: string) {
  const sql = yield* SqlClient.SqlClient
  const refused = yield* mailbox(id, token)
  yield* sql.withTransaction(refuseMail(refused))
  return refused
})

/** Entries of a feed. */
const mostEntries = 100

const feed = Effect.fn("Alerts.feed")(function* (id: string, token: string) {
  const alert = yield* stored("feed", id, token)
  const rows = yield* newestOf(id, null, mostEntries)
  const may = yield* usable("show")
  return { alert: linkedOf(alert), crossings: rows.map(({ body }) => toldOf(body, may)) }
})
