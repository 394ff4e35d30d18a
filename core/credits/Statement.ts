/** The statement of an account, and its balance with everything that belongs to it. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../sql/rows.ts"
import type { Balance } from "../wire/credits/accounts.ts"
import type { Movement, Statement as Page } from "../wire/credits/statement.ts"
import { BadParameter } from "../wire/problems/request.ts"
import { type Account, type AccountInUse, balanceOf } from "./Accounts.ts"
import { subscriptionOf } from "./card/Subscriptions.ts"
import { dayEnds } from "./dailyCounter.ts"
import { KeyMode, testMark } from "./keys/KeyMode.ts"
import { LimitSettings } from "./Limits.ts"
import { type Micros, toNumber } from "./Money.ts"
import { debtOf, describe, type Moved, movementsOf } from "./movements.ts"
import { tiers } from "./tiers.ts"

const sumRows = rowsOf({ balance: Schema.BigInt, owed: Schema.BigInt })

export class Statement extends Context.Service<
  Statement,
  {
    /** With the tier, the subscription, the limits and what was used of them, and the key that asked. */
    readonly balance: (account: AccountInUse) => Effect.Effect<typeof Balance.Type, SqlError>
    /** The movements, newest first; `limit` is 1 to 500. */
    readonly page: (
      account: Account,
      page?: { readonly limit?: number; readonly cursor?: string }
    ) => Effect.Effect<typeof Page.Type, BadParameter | SqlError>
  }
>()("core/credits/Statement") {
  static readonly layer = Layer.effect(
    Statement,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const settings = yield* LimitSettings
      const mode = yield* KeyMode

      /** What the entries up to a posting sum to. */
      const upTo = Effect.fnUntraced(function* (account: Account, posting: bigint) {
        const [sum] = yield* sql`
          select coalesce(sum(amount) filter (where account = ${`credits:${account.id}`}), 0)::bigint as balance,
            coalesce(-sum(amount) filter (where account = ${`owed:${account.id}`}), 0)::bigint as owed
          from ledger_entry
          where account in (${`credits:${account.id}`}, ${`owed:${account.id}`}) and posting <= ${posting}`.pipe(
          sumRows
        )
        return sum ?? { balance: 0n, owed: 0n }
      })

      return Statement.of({
        balance: Effect.fn("Statement.balance")(function* (account) {
          const now = yield* Clock.currentTimeMillis
          const { apiKey, tier, use } = account
          const { burst, perDay, perMinute } = tier === "free" ? { ...tiers.free, ...settings } : tiers[tier]
          const explained = yield* debtOf(sql, account)
          return {
            ...testMark(mode),
            ...balanceOf(account),
            tier,
            subscription: subscriptionOf(account, use.subscriptions),
            limits: { per_minute: perMinute, burst, per_day: perDay },
            use: { calls_today: use.calls, resets_at: dayEnds(now).toISOString() },
            ...(apiKey === undefined
              ? {}
              : {
                  key: {
                    key_id: apiKey.id,
                    name: apiKey.name,
                    scopes: apiKey.scopes,
                    buy_per_day: apiKey.buyPerDay === null ? null : toNumber(apiKey.buyPerDay),
                    bought_today: toNumber(use.bought)
                  }
                }),
            ...(explained === undefined ? {} : { debt: explained })
          }
        }),

        page: Effect.fn("Statement.page")(function* (account, { cursor, limit = 100 } = {}) {
          if (!Number.isInteger(limit) || limit < 1 || limit > 500) {
            return yield* new BadParameter({ field: "limit", message: "limit takes 1 to 500" })
          }
          if (cursor !== undefined && !/^[1-9]\d{0,17}$/.test(cursor)) {
            return yield* new BadParameter({
              field: "cursor",
              message: "cursor must be a next_cursor of this list."
            })
          }
          const rows = yield* movementsOf(
            sql,
            account.id,
            limit + 1,
            cursor === undefined ? undefined : BigInt(cursor)
          )
          const pageRows = rows.slice(0, limit)
          const [first] = pageRows
          let { balance, owed } =
            first === undefined ? { balance: 0n, owed: 0n } : yield* upTo(account, first.id)
          const movements = pageRows.map((row): typeof Movement.Type => {
            const after = { balance, owed }
            balance -= row.amount
            owed -= row.owing
            return movementOf(row, after)
          })
          const last = pageRows.at(-1)
          return {
            ...testMark(mode),
            account: account.id,
            credits_balance: toNumber(account.balance),
            owed: toNumber(account.owed),
            movements,
            ...(rows.length > limit && last !== undefined ? { next_cursor: String(last.id) } : {})
          }
        })
      })
    })
  )
}

const movementOf = (
  row: Moved,
  after: { readonly balance: Micros; readonly owed: Micros }
): typeof Movement.Type => ({
  movement_id: String(row.id),
  at: row.posted_at.toISOString(),
  reason: row.cause,
  description: describe(row),
  amount: toNumber(row.amount),
  balance: toNumber(after.balance),
  owed_change: toNumber(row.owing),
  owed: toNumber(after.owed),
  ...(row.card_order === null ? {} : { order_id: row.card_order }),
  ...(row.payment === null ? {} : { payment_id: row.payment }),
  ...(row.quote === null ? {} : { quote_id: row.quote }),
  ...(row.tx === null ? {} : { transaction: row.tx, receipt: "/v1/credits/crypto/receipts" }),
  ...(row.purchase === null
    ? {}
    : { purchase_id: row.purchase, receipt: `/v1/credits/purchases/${row.purchase}` }),
  ...(row.product_key === null ? {} : { product_key: row.product_key }),
  ...(row.key_id === null ? {} : { key_id: row.key_id })
})

/** The columns of the statement as CSV. */
export const statementColumns: ReadonlyArray<keyof typeof Movement.Type> = [
  "movement_id",
  "at",
  "reason",
  "description",
  "amount",
  "balance",
  "owed_change",
  "owed",
  "order_id",
  "payment_id",
  "quote_id",
  "transaction",
  "purchase_id",
  "product_key",
  "key_id",
  "receipt"
]
