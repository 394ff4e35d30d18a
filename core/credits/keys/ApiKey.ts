/** A key as SQL holds it: a hash, with what it may do. */
import { Clock, Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { texts } from "../../readings/ingest/arrays.ts"
import { rowsOf } from "../../sql/rows.ts"
import { scopes as everyScope, type Scope } from "../../wire/credits/keys.ts"
import { ScopeMissing } from "../../wire/problems/accounts.ts"
import type { Micros } from "../Money.ts"
import { sha256 } from "../Secret.ts"
import { type KeyMode, keyOf } from "./KeyMode.ts"

export const makeKey = (random: SecureRandom["Service"], mode: KeyMode) =>
  Effect.map(random.randomBytes(32), (bytes) => keyOf(mode, bytes))

/** The key of a call. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** Null: as much as the balance has. */
  readonly buyPerDay: Micros | null
}

/** True for a key that may do everything, without a limit. */
export const isFull = ({ buyPerDay, scopes }: Pick<ApiKey, "buyPerDay" | "scopes">): boolean =>
  buyPerDay === null && everyScope.every((scope) => scopes.includes(scope))

/** The members of a row of `account_key` that make a `ApiKey`. Without scopes, the key may do everything. */
export const keyColumns = {
  id: Schema.String,
  name: Schema.String,
  scopes: Schema.NullOr(Schema.Array(Schema.String)),
  buy_per_day: Schema.NullOr(Schema.BigInt)
}

export const apiKeyOf = (row: Schema.Struct.Type<typeof keyColumns>): ApiKey => ({
  id: row.id,
  name: row.name,
  // A scope of a newer release means nothing here.
  scopes: everyScope.filter((scope) => row.scopes === null || row.scopes.includes(scope)),
  buyPerDay: row.buy_per_day
})

/** Fails unless the key of the caller has one of the scopes. An account that was found without a key may do everything. */
export const requireScope = (
  { apiKey }: { readonly apiKey?: ApiKey },
  ...needed: ReadonlyArray<Scope>
): Effect.Effect<void, ScopeMissing> =>
  apiKey === undefined || needed.some((scope) => apiKey.scopes.includes(scope))
    ? Effect.void
    : Effect.fail(
        new ScopeMissing({
          message:
            `This key lacks the scope ${needed.join(" or ")}; it has ` +
            `${apiKey.scopes.length === 0 ? "none that this version knows" : apiKey.scopes.join(" and ")}.`,
          needed_scopes: needed,
          key_scopes: apiKey.scopes
        })
      )

export const noteUse = (sql: SqlClient, hash: string, scopes: ReadonlyArray<string> | null, at: Date) =>
  sql`update ${sql(tableOf(scopes))} set last_used_at = ${at} where hash = ${hash}`

const Row = { ...keyColumns, hash: Schema.String, account: Schema.String }
const rows = rowsOf(Row)

/** Ends the valid key that `where` names, and returns it; undefined if there is none. */
export const endKey = Effect.fnUntraced(function* (sql: SqlClient, where: Fragment, now: Date) {
  const [row] = yield* sql`
    select hash, account, id, name, scopes, buy_per_day from account_key where ${where} and ended_at is null`.pipe(
    rows
  )
  if (row === undefined) return undefined
  const ended = yield* sql`
    update ${sql(tableOf(row.scopes))} set ended_at = ${now} where hash = ${row.hash} and ended_at is null
    returning hash`
  // Another call ended it in the meantime.
  return ended.length === 0 ? undefined : row
})

const tableOf = (scopes: ReadonlyArray<string> | null): string =>
  scopes === null ? "api_key" : "limited_key"

/** Enters a key. One that may do everything has no scopes and no limit here. */
export const enterKey = (
  sql: SqlClient,
  row: Pick<Schema.Struct.Type<typeof Row>, "account" | "hash" | "id" | "name"> & {
    readonly scopes: ReadonlyArray<string> | null
    readonly buy_per_day: bigint | null
    readonly created_at: Date
  }
) => {
  const { buy_per_day, scopes, ...rest } = row
  return scopes === null
    ? sql`insert into api_key ${sql.insert(rest)}`
    : sql`insert into limited_key (hash, id, account, name, scopes, buy_per_day, created_at)
        values (${rest.hash}, ${rest.id}, ${rest.account}, ${rest.name},
          ${texts(scopes)}, ${buy_per_day}, ${rest.created_at})`
}

/** Puts a new key in the place of the valid one that `where` names, with its id, name and scopes; false if there is none. */
export const replaceKey = Effect.fnUntraced(function* (sql: SqlClient, where: Fragment, next: string) {
  const now = new Date(yield* Clock.currentTimeMillis)
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      const ended = yield* endKey(sql, where, now)
      if (ended === undefined) return false
      yield* enterKey(sql, { ...ended, hash: sha256(next), created_at: now })
      return true
    })
  )
})
