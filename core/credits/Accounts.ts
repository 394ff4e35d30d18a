/**
 * Accounts and their keys. A key is 256 random bits, shown once and stored only as SHA-256. Looking keys up by hash leaks
 * nothing through timing, because the compared value is not the one that was sent.
 */
import { Clock, Context, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Hex from "effect/encoding/Hex"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { LRUCache } from "lru-cache"
import { day, minute } from "../plugin/time.ts"
import { countedFor } from "../process/network.ts"
import { rowsOf } from "../sql/rows.ts"
import type { Balance, Registration, RegistrationRequest, Rotation } from "../wire/credits/accounts.ts"
import type { AccountTier } from "../wire/credits/tiers.ts"
import { KeyUnknown } from "../wire/problems/accounts.ts"
import { BadParameter } from "../wire/problems/request.ts"
import { TooManyRequests } from "../wire/problems/service.ts"
import { isMailAddress, unfit } from "../wire/text.ts"
import { countToday } from "./dailyCounter.ts"
import { type ApiKey, apiKeyOf, keyColumns, makeKey, noteUse, replaceKey } from "./keys/ApiKey.ts"
import { isKeyOf, KeyMode, testMark } from "./keys/KeyMode.ts"
import { Ledger } from "./Ledger.ts"
import { format, type Micros, toNumber, usd } from "./Money.ts"
import { Secret, sha256 } from "./Secret.ts"
import { higher, tierOf } from "./tiers.ts"
import { type Use, useColumns, useFields, useOf } from "./useColumns.ts"

const countRows = rowsOf({ n: Schema.Finite })

export interface Account {
  readonly id: string
  readonly agent_name: string
  readonly balance: Micros
  readonly owed: Micros
  /** The highest of the tier set by the operator and those of its subscriptions. */
  readonly tier: AccountTier
  /** The key that the caller sent; absent if the account was found by its id. */
  readonly apiKey?: ApiKey
  /** Present if it was asked for. */
  readonly use?: Use
}

/** An account with what it has used today. */
export interface AccountInUse extends Account {
  readonly use: Use
}

const Row = {
  id: Schema.String,
  agent_name: Schema.String,
  balance: Schema.BigInt,
  owed: Schema.BigInt,
  tier: Schema.String,
  subscribed: Schema.NullOr(Schema.Array(Schema.String))
}
const accountRows = rowsOf(Row)
const callerRows = rowsOf({
  ...Row,
  key_id: keyColumns.id,
  key_name: keyColumns.name,
  scopes: keyColumns.scopes,
  buy_per_day: keyColumns.buy_per_day,
  last_used_at: Schema.NullOr(Schema.Date),
  ...useFields
})

const accountOf = ({
  agent_name,
  balance,
  id,
  owed,
  subscribed,
  tier
}: Schema.Struct.Type<typeof Row>): Account => ({
  id,
  agent_name,
  balance,
  owed,
  tier: (subscribed ?? []).map(tierOf).reduce(higher, tierOf(tier))
})

const callerOf = (row: Effect.Success<ReturnType<typeof callerRows>>[number]): Account => ({
  ...accountOf(row),
  apiKey: apiKeyOf({ ...row, id: row.key_id, name: row.key_name })
})

/** Starter credits, and how many keys per network get them in 30 days. */
interface Offer {
  readonly credits: Micros
  readonly grants: number
}

export const StarterOffer = Context.Reference<Offer>("core/credits/StarterOffer", {
  defaultValue: () => ({ credits: usd("5"), grants: 3 })
})

/** What a new account is told of its starter credits. */
const starterNote = (granted: Micros, offer: Offer): string => {
  if (granted > 0n) return `${format(granted)} starter credits granted.`
  const why =
    offer.credits === 0n
      ? "this service grants none"
      : `your network has used its ${offer.grants} free grants of the last 30 days`
  return `No starter credits: ${why}. The key works; GET /v1/credits/pricing says how credits are added.`
}

/** Keys that a network may register per UTC day, with or without starter credits; null means no limit. */
export const RegistrationsPerDay = Context.Reference<number | null>("core/credits/RegistrationsPerDay", {
  defaultValue: () => 20
})

const grantWindowMs = 30 * day

export class Accounts extends Context.Service<
  Accounts,
  {
    /** Creates an account with its first key. `network` is the originating network: an IPv4 address or an IPv6 /64. */
    readonly register: (
      request: typeof RegistrationRequest.Type,
      network: string
    ) => Effect.Effect<typeof Registration.Type, BadParameter | TooManyRequests | SqlError>
    /** The account of a key. */
    readonly authenticate: (
      key: Redacted.Redacted | undefined
    ) => Effect.Effect<Account, KeyUnknown | SqlError>
    /** The same with what it has used, in one statement, too. */
    readonly authenticateInUse: (
      key: Redacted.Redacted | undefined
    ) => Effect.Effect<AccountInUse, KeyUnknown | SqlError>
    /** Issues a new key and revokes the one sent, atomically. */
    readonly rotate: (key: Redacted.Redacted) => Effect.Effect<typeof Rotation.Type, KeyUnknown | SqlError>
    /** Creates an account for a derived key (a one-off purchase or a subscription). */
    readonly open: (key: string, agentName: string) => Effect.Effect<string, SqlError>
    /** Sets the operator's tier of an account; false if the account does not exist. */
    readonly setTier: (id: string, tier: AccountTier) => Effect.Effect<boolean, SqlError>
    readonly find: (id: string) => Effect.Effect<Account | undefined, SqlError>
  }
>()("core/credits/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ledger = yield* Ledger
      const secret = yield* Secret
      const random = yield* SecureRandom
      const offer = yield* StarterOffer
      const perDay = yield* RegistrationsPerDay

      const columns = sql.literal(`a.id, a.agent_name, a.balance, a.owed, a.tier,
        (select array_agg(s.tier) from subscription s where s.account = a.id and s.state <> 'ended'
          and s.tier is not null) as subscribed`)

      const mode = yield* KeyMode
      const newKey = makeKey(random, mode)
      const newId = Effect.map(random.randomBytes(12), (bytes) => `acc_${Hex.encode(bytes)}`)
      const now = Effect.map(Clock.currentTimeMillis, (ms) => new Date(ms))

      /** Hashes of unknown keys, with the time until which they are not looked up again. */
      const unknown = new LRUCache<string, number>({ max: mostUnknown })

      const keep = Effect.fnUntraced(function* (key: string, account: string) {
        const hash = sha256(key)
        yield* sql`insert into api_key (hash, account, created_at) values (${hash}, ${account}, ${yield* now})`
        yield* sql.afterCommit(Effect.sync(() => unknown.delete(hash)))
      })

      const insert = Effect.fnUntraced(function* (agentName: string, email: string | undefined) {
        const id = yield* newId
        yield* sql`
          insert into account (id, agent_name, email, created_at)
          values (${id}, ${agentName}, ${email ?? null}, ${yield* now})`
        return id
      })

      /** True if the network has a grant left. Registrations of a network are serialized, so no race wins an extra grant. */
      const takeGrant = Effect.fnUntraced(function* (account: string, network: string) {
        const hashed = (text: string) => Hex.encode(secret.hmac("originating network", text))
        const counted = countedFor(network).map(([name, factor]) => ({ name: hashed(name), factor }))
        // Everyone locks the wide network before the one in it: no two wait for each other.
        for (const { name } of counted.toReversed())
          yield* sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`
        const at = yield* now
        const since = new Date(at.getTime() - grantWindowMs)
        for (const { factor, name } of counted) {
          const [row] = yield* sql`
            select count(*)::int as n from starter_grant
            where (origin = ${name} or site = ${name}) and granted_at > ${since}`.pipe(countRows)
          if ((row?.n ?? 0) >= offer.grants * factor) return false
        }
        const [origin, wide] = counted
        yield* sql`
          insert into starter_grant (account, origin, site, granted_at)
          values (${account}, ${origin?.name ?? null}, ${wide?.name ?? null}, ${at})`
        return true
      })

      /** Counts a registration for its network and the wide one around it; rolled back with the transaction. */
      const countRegistration = Effect.fnUntraced(function* (network: string) {
        if (perDay === null) return
        for (const [origin, factor] of countedFor(network)) {
          const most = perDay * factor
          const subject = `register:net:${Hex.encode(secret.hmac("limits", origin))}`
          const { dayEnds, left } = yield* countToday(sql, subject, most)
          if (left !== undefined) continue
          return yield* new TooManyRequests({
            message:
              `Your network has registered ${most} keys today, the daily limit. ` +
              `Try again in ${dayEnds} s; existing keys keep working.`,
            retry_after: dayEnds
          })
        }
      })

      const find = Effect.fnUntraced(function* (id: string) {
        const [row] = yield* sql`select ${columns} from account a where a.id = ${id}`.pipe(accountRows)
        return row === undefined ? undefined : accountOf(row)
      })

      const rowOf = Effect.fnUntraced(function* (key: Redacted.Redacted | undefined, withUse: boolean) {
        if (key === undefined || !isKeyOf(mode, key)) return yield* KeyUnknown.refused()
        const hash = sha256(Redacted.value(key))
        const at = yield* Clock.currentTimeMillis
        if (at < (unknown.get(hash) ?? 0)) return yield* KeyUnknown.refused()
        const [row] = yield* sql`
          select ${columns}, k.id as key_id, k.name as key_name, k.scopes, k.buy_per_day, k.last_used_at
            ${withUse ? useColumns(sql, at) : sql``}
          from account_key k join account a on a.id = k.account
          where k.hash = ${hash} and k.ended_at is null`.pipe(callerRows)
        if (row === undefined) {
          unknown.set(hash, at + unknownMs)
          return yield* KeyUnknown.refused()
        }
        if (row.last_used_at === null || at - row.last_used_at.getTime() > usedMs)
          yield* noteUse(sql, hash, row.scopes, new Date(at))
        return row
      })

      return Accounts.of({
        find,

        setTier: Effect.fn("Accounts.setTier")(function* (id, tier) {
          // It may wait for a purchase, and others' queries must not wait behind it.
          const changed = yield* sql`update account set tier = ${tier} where id = ${id} returning id`.pipe(
            sql.withTransaction
          )
          return changed.length === 1
        }),

        register: Effect.fn("Accounts.register")(function* (request, network) {
          const name = yield* checkName(request.agent_name)
          const email = yield* checkEmail(request.email)
          const key = yield* newKey
          const granted = yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* countRegistration(network)
              const account = yield* insert(name, email)
              yield* keep(key, account)
              if (offer.credits === 0n || !(yield* takeGrant(account, network))) return 0n
              yield* ledger.credit(account, offer.credits, "grants", {
                cause: "starter_grant",
                reference: account,
                key: `starter_grant:${account}`
              })
              return offer.credits
            })
          )
          return {
            ...testMark(mode),
            api_key: key,
            credits_balance: toNumber(granted),
            message: `${starterNote(granted, offer)} Save the key: it is shown only once.`
          }
        }),

        authenticate: Effect.fn("Accounts.authenticate")(function* (key) {
          return callerOf(yield* rowOf(key, false))
        }),

        authenticateInUse: Effect.fn("Accounts.authenticateInUse")(function* (key) {
          const row = yield* rowOf(key, true)
          return { ...callerOf(row), use: useOf(row) }
        }),

        rotate: Effect.fn("Accounts.rotate")(function* (key) {
          const next = yield* newKey
          const rotated = yield* replaceKey(sql, sql`hash = ${sha256(Redacted.value(key))}`, next)
          if (!rotated) return yield* KeyUnknown.refused()
          return {
            api_key: next,
            message: "The new key is active and the old one is revoked. Save the key: it is shown only once."
          }
        }),

        open: Effect.fn("Accounts.open")(function* (key, agentName) {
          return yield* sql.withTransaction(
            Effect.gen(function* () {
              const account = yield* insert(agentName, undefined)
              yield* keep(key, account)
              return account
            })
          )
        })
      })
    })
  )
}

/** How exactly the last use of a key is known. */
const usedMs = 5 * minute

/** How long an unknown key is remembered, and how many of them. */
const unknownMs = 5000
const mostUnknown = 10_000

/** The response of `GET /v1/credits/balance`. */
export const balanceOf = (account: Account): typeof Balance.Type => ({
  account: account.id,
  credits_balance: toNumber(account.balance),
  agent_name: account.agent_name,
  spending_status: account.owed > 0n ? "restricted" : "active",
  ...(account.owed > 0n ? { owed: toNumber(account.owed) } : {})
})

const longestName = 100

/** Validates an optional name, of an account or a key. */
export const checkName = (
  name: string | undefined,
  field = "agent_name"
): Effect.Effect<string, BadParameter> => {
  if (name === undefined) return Effect.succeed("")
  const plain = name.normalize("NFC").trim()
  return [...plain].length > longestName || unfit.test(plain)
    ? Effect.fail(
        new BadParameter({
          field,
          message: `${field} must be at most ${longestName} visible characters, without control, zero-width or bidirectional characters.`
        })
      )
    : Effect.succeed(plain)
}

/** Validates an optional email address. */
export const checkEmail = (email: string | undefined): Effect.Effect<string | undefined, BadParameter> =>
  email === undefined || isMailAddress(email)
    ? Effect.succeed(email)
    : Effect.fail(
        new BadParameter({
          field: "email",
          message: "email must be one address, e.g. name@example.org."
        })
      )
