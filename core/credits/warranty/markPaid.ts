/** Books a refund that the chain has and the books do not, as after a restore from an old backup, by the operator's decision. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Ledger } from "../Ledger.ts"
import { format } from "../Money.ts"
import { draftOf } from "./pay.ts"
import { type Refunder, signRefund, WarrantyRefunder } from "./Refunder.ts"

/** The payment is not stopped as used, or the transaction does not pay it. Nothing was booked. */
export class NotPaidBack extends Schema.TaggedError<NotPaidBack>()("NotPaidBack", {
  message: Schema.String
}) {}

const stoppedRows = rowsOf({ amount: Schema.BigInt, because: Schema.String, payer: Schema.String })

const isTransaction = (text: string): boolean => /^0x[0-9a-f]{64}$/.test(text)

/** The authorization that pays a sale back, if this transaction used it and is final; the chain says so. */
const provenOf = Effect.fnUntraced(function* (
  refunder: Refunder,
  sale: string,
  { amount, payer }: { readonly amount: bigint; readonly payer: string },
  transaction: string
) {
  const payment = yield* signRefund(refunder, { amount, payer, sale })
  const outcome = yield* refunder.follow(payment, 0n, { transaction })
  if (outcome.kind !== "settled" || outcome.transaction !== transaction) {
    return yield* new NotPaidBack({
      message: `${transaction} does not pay ${format(amount)} USDC from ${refunder.address} to ${payer} by the authorization of ${sale}, or the chain does not answer`
    })
  }
  if ((yield* refunder.finality(transaction)) !== "final")
    return yield* new NotPaidBack({
      message: `${transaction} is not final yet; repeat the command when it is`
    })
  return payment
})

/**
 * Marks a payment as made that stopped because its authorization is used (`stopAsUsed`): by a final transaction that is proved to
 * have made it. Fails with `NotPaidBack` and `SettlerUnavailable`.
 */
export const markPaid = Effect.fn("Warranty.markPaid")(function* (
  sale: string,
  transaction: string,
  { operator, reason }: { readonly operator: string; readonly reason: string }
) {
  const refunder = yield* WarrantyRefunder
  if (refunder === null)
    return yield* new NotPaidBack({
      message: "without the refund key nothing is known of what its address has paid"
    })
  const tx = transaction.toLowerCase()
  if (!isTransaction(tx))
    return yield* new NotPaidBack({
      message: `"${transaction.slice(0, 80)}" is not a transaction (0x and 64 hex digits)`
    })
  const sql = yield* SqlClient.SqlClient
  const [owed] = yield* sql`
    select p.amount, p.because, x.payer from warranty_payment p join x402_sale x on x.id = p.sale
    where p.sale = ${sale} and p.state = 'stopped' and p.refusal is not null`.pipe(stoppedRows)
  if (owed === undefined)
    return yield* new NotPaidBack({
      message: `no payment of ${sale} is stopped because it may already be paid`
    })
  const { authorization, signature } = yield* provenOf(refunder, sale, owed, tx)
  const { address, asset, network } = refunder
  const now = new Date(yield* DataClock.now)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      const paid = yield* sql`
        update warranty_payment set state = 'paid', paid_at = ${now}, released_by = ${operator},
          release_reason = ${reason}, released_at = ${now}
        where sale = ${sale} and state = 'stopped' and amount = ${owed.amount}::bigint returning amount, because,
          ${owed.payer}::text as payer`.pipe(stoppedRows)
      if (paid.length === 0)
        return yield* new NotPaidBack({ message: `the payment of ${sale} was decided in the meantime` })
      yield* sql`
        insert into warranty_transfer (sale, network, asset, sender, recipient, amount, nonce, signature, since_block,
          begun_at, tx, final_at)
        values (${sale}, ${network}, ${asset}, ${address}, ${owed.payer}, ${owed.amount}::bigint, ${authorization.nonce},
          ${signature}, 0, ${now}, ${tx}, ${now})`
      yield* (yield* Ledger).between("sales", "x402", owed.amount, draftOf(sale, owed.because))
    })
  )
  return owed
})
