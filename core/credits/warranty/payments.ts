/** Payments of the warranty as they are recorded: the one of a sale, those that are not made, and their release by an operator. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { rowsOf } from "../../sql/rows.ts"
import { PaymentState, type WarrantyPayment } from "../../wire/credits/warranty.ts"
import { format, toNumber } from "../Money.ts"
import { proofOf } from "./documents.ts"

const paymentFields = {
  sale: Schema.String,
  amount: Schema.BigInt,
  because: Schema.String,
  document: Schema.String,
  state: PaymentState,
  due_at: Schema.Date,
  paid_at: Schema.NullOr(Schema.Date)
}
const paymentRows = rowsOf(paymentFields)
const openRows = rowsOf({
  ...paymentFields,
  payer: Schema.NullOr(Schema.String)
})
const countRows = rowsOf({ n: Schema.Int })

/** A payment that is not made yet, as operators are shown it. */
export interface OpenPayment {
  readonly sale: string
  readonly amount_usd: string
  readonly state: WarrantyPayment["state"]
  readonly since: string
  readonly because: string
  readonly proof: string
  /** The wallet that paid and that no account has verified, of a payment per request. */
  readonly payer?: string
}

/** What is paid back of a sale; undefined if nothing is. */
export const paymentOf = Effect.fn("Warranty.paymentOf")(function* (sale: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select * from warranty_payment where sale = ${sale}`.pipe(paymentRows)
  if (row === undefined) return undefined
  const { amount, because, document, due_at, paid_at, state } = row
  return {
    amount_usd: toNumber(amount),
    state,
    because,
    proof: proofOf(document),
    at: (paid_at ?? due_at).toISOString()
  } satisfies WarrantyPayment
})

/** How many payments wait for the operator. */
export const stoppedPayments = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select count(*)::int as n from warranty_payment where state = 'stopped'`.pipe(countRows)
  return row?.n ?? 0
})

/** What is not paid yet, oldest first, at most `limit`: stopped by a ceiling, or due to a wallet that no account has verified. */
export const openPayments = Effect.fn("Warranty.openPayments")(function* (limit: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select p.*, x.payer from warranty_payment p left join x402_sale x on x.id = p.sale
      and not exists (select from wallet w where w.address = x.payer)
    where p.state <> 'paid' order by p.due_at, p.sale limit ${limit}`.pipe(openRows)
  return rows.map(
    ({ amount, because, document, due_at, payer, sale, state }): OpenPayment => ({
      sale,
      amount_usd: format(amount),
      state,
      since: due_at.toISOString(),
      because,
      proof: proofOf(document),
      ...(payer === null ? {} : { payer })
    })
  )
})

/** Lets stopped payments be made whatever the ceilings say, all or the one of a sale. Returns how many. */
export const release = Effect.fn("Warranty.release")(function* (
  sale: string | undefined,
  { operator, reason }: { readonly operator: string; readonly reason: string }
) {
  const sql = yield* SqlClient.SqlClient
  const released = yield* sql`
    update warranty_payment set state = 'due', released_by = ${operator}, release_reason = ${reason},
      released_at = ${new Date(yield* DataClock.now)}
    where state = 'stopped' ${sale === undefined ? sql`` : sql`and sale = ${sale}`} returning sale`
  return released.length
})
