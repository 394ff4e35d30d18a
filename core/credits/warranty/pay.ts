/** Pays what warranties owe in credits: each sale once, in the order in which it became due, until a ceiling is reached. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"
import { Ledger } from "../Ledger.ts"
import { payableNow, stopAsUsed } from "./ceilings.ts"
import { nonceOf, type Refunder } from "./Refunder.ts"

/** Payments of one run; the rest is paid by the next one. */
const most = 500

const dueRows = rowsOf({ sale: Schema.String, account: Schema.String, per_request: Schema.Boolean })

/** The posting of a sale's refund. Its key is the same in credits and on the chain, so a refund is booked once. */
export const draftOf = (sale: string, because: string) =>
  ({ cause: "warranty", reference: sale, key: `warranty:${sale}`, note: because }) as const

/**
 * What is due to an account: the one that bought, or the one that last verified the wallet that paid. A payment per request
 * counts once no reorganisation can undo it.
 */
const payable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select p.sale, coalesce(u.account, w.account) as account, u.account is null as per_request
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

/**
 * Pays what is due, each sale in a transaction of its own. Of a sale per request the chain is asked first: a restored database
 * may not know that its wallet was paid. While the chain does not answer, such sales wait.
 */
export const payDue = Effect.fn("warranty.payDue")(function* (refunder: Refunder | null) {
  const sql = yield* SqlClient.SqlClient
  let answers = true
  for (const { account, per_request, sale } of yield* payable) {
    if (per_request && refunder !== null) {
      if (!answers) continue
      const used = yield* refunder
        .isUsed(nonceOf(sale))
        .pipe(Effect.catchTag("SettlerUnavailable", () => Effect.succeed(undefined)))
      if (used === undefined) {
        answers = false
        yield* Effect.logWarning("credits of warranties are waiting for the chain")
        continue
      }
      if (used && (yield* stopAsUsed(sale))) continue
    }
    yield* sql.withTransaction(payOne(account, sale))
  }
})
