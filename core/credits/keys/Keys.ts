/**
 * The keys of an account. A key can issue, rotate and revoke only keys that may do no more than itself, and one with a
 * daily limit can issue none that may buy, so no key can widen itself. An account always keeps a key that may do everything.
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../../sql/rows.ts"
import {
  scopes as everyScope,
  type KeyList,
  type KeyRequest,
  type NewKey,
  type Revoked,
  Scope
} from "../../wire/credits/keys.ts"
import { KeyIdUnknown, LastFullKey, ScopeMissing } from "../../wire/problems/accounts.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { type Account, checkName } from "../Accounts.ts"
import { format, type Micros, parseUnknown, toNumber } from "../Money.ts"
import { sha256 } from "../Secret.ts"
import { type ApiKey, apiKeyOf, endKey, enterKey, isFull, keyColumns, makeKey, replaceKey } from "./ApiKey.ts"
import { boughtToday } from "./budget.ts"
import { KeyMode } from "./KeyMode.ts"

const keyRows = rowsOf(keyColumns)
const listRows = rowsOf({
  ...keyColumns,
  created_at: Schema.Date,
  last_used_at: Schema.NullOr(Schema.Date)
})
const countRows = rowsOf({ n: Schema.Finite })

/** Most valid keys of an account. */
const mostKeys = 50

const isScope = Schema.is(Scope)

/** What a key may do that was issued with these scopes; everything, for the operator. */
type Power = Pick<ApiKey, "buyPerDay" | "scopes">
const everything: Power = { scopes: everyScope, buyPerDay: null }

export class Keys extends Context.Service<
  Keys,
  {
    readonly list: (account: Account) => Effect.Effect<typeof KeyList.Type, SqlError>
    readonly create: (
      account: Account,
      request: typeof KeyRequest.Type
    ) => Effect.Effect<typeof NewKey.Type, BadParameter | ScopeMissing | SqlError>
    /** Puts a new key in the place of one, with its id, name and scopes. */
    readonly rotate: (
      account: Account,
      id: string
    ) => Effect.Effect<typeof NewKey.Type, KeyIdUnknown | ScopeMissing | SqlError>
    readonly revoke: (
      account: Account,
      id: string
    ) => Effect.Effect<typeof Revoked.Type, KeyIdUnknown | LastFullKey | ScopeMissing | SqlError>
  }
>()("core/credits/keys/Keys") {
  static readonly layer = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom
      const newKey = makeKey(random, yield* KeyMode)
      const now = Effect.map(Clock.currentTimeMillis, (ms) => new Date(ms))

      const named = (account: Account, id: string) => sql`account = ${account.id} and id = ${id}`

      /** The valid key, if the caller's own may do at least as much. */
      const manageable = Effect.fnUntraced(function* (account: Account, id: string) {
        const [row] = keyId.test(id)
          ? yield* sql`
              select id, name, scopes, buy_per_day from account_key
              where ${named(account, id)} and ended_at is null`.pipe(keyRows)
          : []
        if (row === undefined) return yield* unknownKey(id)
        const key = apiKeyOf(row)
        if (key.id !== account.apiKey?.id) yield* requireAtLeast(account.apiKey ?? everything, key)
        return key
      })

      const issued = (key: string, { buyPerDay, id, name, scopes }: ApiKey): typeof NewKey.Type => ({
        api_key: key,
        key_id: id,
        name,
        scopes,
        buy_per_day: buyPerDay === null ? null : toNumber(buyPerDay),
        message: "The key is active. Save it: it is shown only once."
      })

      return Keys.of({
        list: Effect.fn("Keys.list")(function* (account) {
          const rows = yield* sql`
            select id, name, scopes, buy_per_day, created_at, last_used_at from account_key
            where account = ${account.id} and ended_at is null order by created_at, id limit 1000`.pipe(
            listRows
          )
          const bought = yield* boughtToday(sql, account.id)
          return {
            keys: rows.map((row) => {
              const { buyPerDay, id, name, scopes } = apiKeyOf(row)
              return {
                key_id: id,
                name,
                scopes,
                buy_per_day: buyPerDay === null ? null : toNumber(buyPerDay),
                bought_today: toNumber(bought.get(id) ?? 0n),
                created_at: row.created_at.toISOString(),
                last_used_at: row.last_used_at?.toISOString() ?? null,
                current: id === account.apiKey?.id
              }
            })
          }
        }),

        create: Effect.fn("Keys.create")(function* (account, request) {
          const name = yield* checkName(request.name, "name")
          const scopes = yield* readScopes(request.scopes ?? ["read"])
          const buyPerDay = yield* readLimit(request.buy_per_day ?? null, scopes)
          yield* requireAtLeast(account.apiKey ?? everything, { scopes, buyPerDay })
          const created: ApiKey = {
            id: `key_${Hex.encode(yield* random.randomBytes(8))}`,
            name,
            scopes,
            buyPerDay
          }
          const key = yield* newKey
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`select 1 as one from account where id = ${account.id} for update`
              const [count] = yield* sql`
                select count(*)::int as n from account_key where account = ${account.id} and ended_at is null`.pipe(
                countRows
              )
              if ((count?.n ?? 0) >= mostKeys) {
                return yield* new BadParameter({
                  field: "name",
                  message: `The account already has ${mostKeys} keys, the limit. Revoke one first.`
                })
              }
              yield* enterKey(sql, {
                hash: sha256(key),
                id: created.id,
                account: account.id,
                name,
                scopes: isFull(created) ? null : scopes,
                buy_per_day: buyPerDay,
                created_at: yield* now
              })
            })
          )
          return issued(key, created)
        }),

        rotate: Effect.fn("Keys.rotate")(function* (account, id) {
          const key = yield* manageable(account, id)
          const next = yield* newKey
          if (!(yield* replaceKey(sql, named(account, id), next))) return yield* unknownKey(id)
          return issued(next, key)
        }),

        revoke: Effect.fn("Keys.revoke")(function* (account, id) {
          yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`select 1 as one from account where id = ${account.id} for update`
              const key = yield* manageable(account, id)
              const [full] = yield* sql`
                select count(*)::int as n from account_key
                where account = ${account.id} and ended_at is null and scopes is null`.pipe(countRows)
              if (isFull(key) && (full?.n ?? 0) < 2) {
                return yield* new LastFullKey({
                  message:
                    "This is the account's last key with every scope. Create another one first, or rotate this one. It still works."
                })
              }
              yield* endKey(sql, named(account, id), yield* now)
            })
          )
          return { key_id: id, revoked: true } as const
        })
      })
    })
  )
}

const keyId = /^key_[0-9a-f]{16}$/

const unknownKey = (id: string) =>
  new KeyIdUnknown({
    message: `This account has no valid key ${JSON.stringify(id.slice(0, 40))}; GET /v1/credits/keys lists them.`
  })

/** Fails unless a key may do at least as much as another. */
const requireAtLeast = (own: Power, other: Power): Effect.Effect<void, ScopeMissing> => {
  const missing = other.scopes.filter((scope) => !own.scopes.includes(scope))
  const widens = other.scopes.includes("buy") && own.buyPerDay !== null
  if (missing.length === 0 && !widens) return Effect.void
  return Effect.fail(
    new ScopeMissing({
      message:
        missing.length > 0
          ? `A key can issue and manage only keys that may do no more than itself, and this one lacks ${missing.join(" and ")}.`
          : "This key has a daily limit, so it cannot issue or manage keys that may buy.",
      needed_scopes: missing.length > 0 ? missing : ["buy"],
      key_scopes: own.scopes
    })
  )
}

const readScopes = (requested: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Scope>, BadParameter> =>
  requested.length > 0 && requested.every(isScope)
    ? Effect.succeed(everyScope.filter((scope) => requested.includes(scope)))
    : Effect.fail(
        new BadParameter({
          field: "scopes",
          message: `scopes must name at least one of ${everyScope.join(", ")}.`,
          valid_values: everyScope
        })
      )

const readLimit = (
  amount: number | string | null,
  scopes: ReadonlyArray<Scope>
): Effect.Effect<Micros | null, BadParameter> => {
  if (amount === null) return Effect.succeed(null)
  const micros = parseUnknown(amount)
  const message =
    micros === undefined || micros === 0n
      ? `buy_per_day must be an amount in USD above 0, e.g. 5 or "4.99" (at least ${format(1n)}).`
      : scopes.includes("buy")
        ? undefined
        : "buy_per_day limits what a key may spend, so it needs the scope buy."
  return message === undefined && micros !== undefined
    ? Effect.succeed(micros)
    : Effect.fail(new BadParameter({ field: "buy_per_day", message: message ?? "" }))
}
