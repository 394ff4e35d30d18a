/** Who gets yesterday by mail each morning: asked for without a key, confirmed and ended by the addresses of the messages. */
import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Secret } from "../credits/Secret.ts"
import { newestClosedDay } from "../log/closedDays.ts"
import { hour } from "../plugin/time.ts"
import { providing } from "../process/providing.ts"
import { rowsOf } from "../sql/rows.ts"
import { AlertUnknown, type TooManyConfirmations } from "../wire/problems/alerts.ts"
import type { BadParameter } from "../wire/problems/request.ts"
import { checkChannel, countConfirmation } from "./checked.ts"
import { newId, wallTime } from "./ids.ts"
import { isToken } from "./links.ts"
import { Messengers } from "./Messengers.ts"
import { mailboxOf } from "./mailbox.ts"

/** How long the message that asks for a confirmation is tried, in milliseconds. */
const triedFor = hour

export interface MorningRequest {
  readonly address: string
  /** Symbols and metrics as `HNT/devices_total`; null: all. */
  readonly scope: ReadonlyArray<string> | null
  /** What it is of, in words. */
  readonly title: string
}

/** As whoever has one of its addresses sees it. */
export interface LinkedMorning {
  readonly title: string
  readonly state: "unconfirmed" | "active"
}

export class Mornings extends Context.Service<
  Mornings,
  {
    /** Asks the addressee for a confirmation; `network` is that of whoever asks. */
    readonly create: (
      request: MorningRequest,
      network: string
    ) => Effect.Effect<void, BadParameter | TooManyConfirmations | SqlError>
    /** Fails if the address is of no subscription. */
    readonly linked: (
      kind: "confirm" | "end",
      id: string,
      token: string
    ) => Effect.Effect<LinkedMorning, AlertUnknown | SqlError>
    /** By the addressee; again without effect. The first day told is the next one that closes. */
    readonly confirm: (id: string, token: string) => Effect.Effect<LinkedMorning, AlertUnknown | SqlError>
    /** By the addressee: it is gone, and the address with it. */
    readonly end: (id: string, token: string) => Effect.Effect<LinkedMorning, AlertUnknown | SqlError>
  }
>()("core/alerts/Mornings") {
  static readonly layer = Layer.effect(
    Mornings,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, Messengers, Secret, SecureRandom)
      return Mornings.of({
        create: provided(create),
        linked: provided(linked),
        confirm: provided(confirm),
        end: provided(end)
      })
    })
  )
}

const create = Effect.fn("Mornings.create")(function* (
  { address, scope, title }: MorningRequest,
  network: string
) {
  const sql = yield* SqlClient.SqlClient
  const channel = { kind: "email", address } as const
  yield* checkChannel("", channel)
  yield* Effect.gen(function* () {
    yield* countConfirmation(null, channel, network)
    const id = yield* newId("mo")
    const now = yield* wallTime
    yield* sql`insert into morning ${sql.insert({
      id,
      address,
      mailbox: mailboxOf(address),
      title,
      scope: scope === null ? null : JSON.stringify(scope),
      created_at: now
    })}`
    yield* sql`insert into morning_message ${sql.insert({
      id: yield* newId("msg"),
      morning: id,
      created_at: now,
      due_at: now,
      give_up_at: new Date(now.getTime() + triedFor)
    })}`
  }).pipe(sql.withTransaction)
})

const linkedRows = rowsOf({ title: Schema.String, state: Schema.Literals(["unconfirmed", "active"]) })

const linked = Effect.fn("Mornings.linked")(function* (kind: "confirm" | "end", id: string, token: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = isToken(yield* Secret, kind, id, token)
    ? yield* sql`select title, state from morning where id = ${id}`.pipe(linkedRows)
    : []
  return (
    row ??
    (yield* new AlertUnknown({ message: "There is no such subscription; one that was ended is gone." }))
  )
})

const confirm = Effect.fn("Mornings.confirm")(function* (id: string, token: string) {
  const sql = yield* SqlClient.SqlClient
  const morning = yield* linked("confirm", id, token)
  yield* sql`
    update morning set state = 'active', confirmed_at = ${yield* wallTime}, told_day = ${yield* newestClosedDay}::date
    where id = ${id} and state = 'unconfirmed'`
  return { ...morning, state: "active" } satisfies LinkedMorning
})

const end = Effect.fn("Mornings.end")(function* (id: string, token: string) {
  const sql = yield* SqlClient.SqlClient
  const morning = yield* linked("end", id, token)
  yield* sql`delete from morning where id = ${id}`
  return morning
})
