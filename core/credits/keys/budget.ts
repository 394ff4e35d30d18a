/** What keys have spent in the UTC day of now. */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { day as dayMs } from "../../plugin/time.ts"
import { rowsOf } from "../../sql/rows.ts"
import { BuyLimitReached } from "../../wire/problems/accounts.ts"
import { format, type Micros, toNumber } from "../Money.ts"
import type { ApiKey } from "./ApiKey.ts"

const boughtRows = rowsOf({ key_id: Schema.String, amount: Schema.BigInt })

/** The amounts of an account, by key. */
export const boughtToday = Effect.fnUntraced(function* (sql: SqlClient, account: string) {
  const now = yield* Clock.currentTimeMillis
  const rows = yield* sql`
    select key_id, sum(price)::bigint as amount from purchase
    where account = ${account} and purchased_at >= ${new Date(now - (now % dayMs))} and key_id is not null
    group by key_id`.pipe(boughtRows)
  return new Map(rows.map(({ amount, key_id }) => [key_id, amount]))
})

/** Fails if a purchase would exceed the key's daily limit. Exact under the account's lock. */
export const requireBudget = Effect.fnUntraced(function* (
  sql: SqlClient,
  account: string,
  key: ApiKey | undefined,
  price: Micros
) {
  if (key === undefined || key.buyPerDay === null) return
  const bought = (yield* boughtToday(sql, account)).get(key.id) ?? 0n
  if (bought + price <= key.buyPerDay) return
  const now = yield* Clock.currentTimeMillis
  const resets_at = new Date(now - (now % dayMs) + dayMs).toISOString()
  return yield* new BuyLimitReached({
    message:
      `This key may spend ${format(key.buyPerDay)} USD per UTC day and has spent ${format(bought)} USD today; the price ` +
      `is ${format(price)} USD. Nothing was charged.`,
    price: toNumber(price),
    buy_per_day: toNumber(key.buyPerDay),
    bought_today: toNumber(bought),
    resets_at
  })
})
