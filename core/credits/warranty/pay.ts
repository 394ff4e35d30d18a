/** Pays what warranties owe in credits: each sale once, in the order in which it became due, until a ceiling is reached. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"
import { Ledger } from "../Ledger.ts"
import { payableNow } from "./ceilings.ts"

/** Payments of one run; the rest is paid by the next one. */
const most = 500

const dueRows = rowsOf({ sale: Schema.String, account: Schema.String })

/** The posting of a sale's refund, which is booked once. */
const draftOf = (sale: string, because: string) =>
  ({ cause: "warranty", reference: sale, key: `warranty:${sale}`, note: because }) as const

/**
 * What is due to an account: the one that bought, or the one that last verified the wallet that paid. A payment per request
 * counts once no reorganisation can undo it.
 */
const payable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select p.sale, coalesce(u.account, w.account) as account
    from warranty_payment p left join purchase u on u.id = p.sale
      left join x402_sale x on x.id = p.sale and x.state = 'settled' and x.final_at is not null and x.lost_at is null
      left join lateral (
        select account from wallet where address = x.payer order by verified_at desc, account limit 1
      ) w on true
    where p.state = 'due' and coalesce(u.account, w.account) is not null
    order by p.due_at, p.sale limit ${most}`.pipe(dueRows)
})

/** Pays one sale, or stops it. */
const payOne = Effect.fnUntraced(function* (account: string, sale: string) {
  const sql = yield* SqlClient.SqlClient
  const payment = yield* payableNow(sale)
  if (payment === undefined) return
  const { amount, because, now } = payment
  yield* sql`
    update warranty_payment set state = 'paid', account = ${account}, paid_at = ${now} where sale = ${sale}`
  yield* (yield* Ledger).credit(account, amount, "sales", draftOf(sale, because))
})

/** Pays what is due, each sale in a transaction of its own. */
export const payDue = Effect.fn("warranty.payDue")(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const { account, sale } of yield* payable) yield* sql.withTransaction(payOne(account, sale))
})
