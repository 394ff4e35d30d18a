/** Movements of credits as the ledger has them, with what they belong to, and what a debt consists of. */
import { BigInt as BigInts, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { rowsOf } from "../sql/rows.ts"
import { type Debt, MovementReason } from "../wire/credits/statement.ts"
import { format, type Micros, toNumber } from "./Money.ts"

const Row = {
  id: Schema.BigInt,
  cause: MovementReason,
  note: Schema.NullOr(Schema.String),
  posted_at: Schema.Date,
  amount: Schema.BigInt,
  owing: Schema.BigInt,
  purchase: Schema.NullOr(Schema.String),
  product_key: Schema.NullOr(Schema.String),
  key_id: Schema.NullOr(Schema.String),
  card_order: Schema.NullOr(Schema.String),
  payment: Schema.NullOr(Schema.String),
  quote: Schema.NullOr(Schema.String),
  tx: Schema.NullOr(Schema.String)
}
const rows = rowsOf(Row)
export type Moved = Schema.Struct.Type<typeof Row>

/** The newest movements of an account, newest first. */
export const movementsOf = (
  sql: SqlClient,
  account: string,
  limit: number,
  before: bigint | undefined,
  owingOnly = false
) => {
  const [credits, owed] = [`credits:${account}`, `owed:${account}`]
  return sql`
    select p.id, p.cause, p.note, p.posted_at, coalesce(c.amount, 0) as amount, coalesce(-d.amount, 0) as owing,
      u.id as purchase, u.product_key, u.key_id, o.id as card_order, coalesce(k.payment, y.payment) as payment,
      q.id as quote, t.tx
    from posting p
      left join ledger_entry c on c.posting = p.id and c.account = ${credits}
      left join ledger_entry d on d.posting = p.id and d.account = ${owed}
      left join purchase u on p.cause in ('purchase', 'warranty') and u.id = p.reference
      left join card_payment k on k.payment = p.reference
      left join card_order o on o.id = coalesce(k.card_order, p.reference)
      left join card_payment y on p.cause = 'card_payment' and y.payment = substr(p.key, 14)
      left join topup_quote q on q.id = p.reference
      left join chain_transfer t on t.quote = q.id
    where p.id in (
      select posting from ledger_entry
      where ${owingOnly ? sql`account = ${owed}` : sql`account in (${credits}, ${owed})`}
        ${before === undefined ? sql`` : sql`and posting < ${before}`}
    )
    order by p.id desc limit ${limit}`.pipe(rows)
}

/** Later credits paid off the oldest debt first, so what is still owed is the newest of it. */
export const debtOf = Effect.fnUntraced(function* (
  sql: SqlClient,
  account: { readonly id: string; readonly owed: Micros }
) {
  if (account.owed === 0n) return undefined
  let left = account.owed
  const because: Array<(typeof Debt.Type)["because"][number]> = []
  for (const row of yield* movementsOf(sql, account.id, 1000, undefined, true)) {
    if (row.owing <= 0n) continue
    const open = BigInts.min(left, row.owing)
    left -= open
    because.unshift({
      movement_id: String(row.id),
      at: row.posted_at.toISOString(),
      reason: row.cause,
      description: describe(row),
      amount: toNumber(row.owing),
      open: toNumber(open),
      ...(row.card_order === null ? {} : { order_id: row.card_order }),
      ...(row.payment === null ? {} : { payment_id: row.payment })
    })
    if (left === 0n) break
  }
  return {
    owed: toNumber(account.owed),
    because,
    how_to_settle:
      `Add at least ${format(account.owed)} USD with POST /v1/credits/topup: it pays off the debt first, and spending ` +
      "goes on with the rest. If the refund or reversal is a mistake, ask the operator and name the order and the movement."
  }
})

export const describe = ({ cause, note, product_key }: Moved): string => {
  const because = note === null ? "" : `: ${note}`
  switch (cause) {
    case "starter_grant":
      return "Starter credits of a new account"
    case "operator_grant":
      return `Granted by the operator${because}`
    case "operator_credit":
      return `Credited by the operator${because}`
    case "operator_debit":
      return `Taken back by the operator${because}`
    case "purchase":
      return `Bought ${product_key ?? "a product"}`
    case "card_payment":
      return "Paid by card"
    case "card_refund":
      return "A card payment was refunded, so its credits were taken back"
    case "card_refund_failed":
      return "A refund failed at the bank, so its credits were given back"
    case "card_dispute":
      return "The cardholder disputed a payment, and the bank took it back"
    case "card_dispute_won":
      return "A disputed payment was given back by the bank"
    case "warranty":
      return `Paid back by the warranty of a sale${because}`
    case "stablecoin_transfer":
      return "Paid by a stablecoin transfer"
  }
}
