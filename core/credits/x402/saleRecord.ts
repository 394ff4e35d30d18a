/** A sale without an account, as stored and as returned, and the errors that carry a settlement. */
import { Data, Schema } from "effect"
import type { Commitment } from "../../wire/credits/checkpointName.ts"
import { CheckpointName } from "../../wire/credits/checkpointName.ts"
import type { SaleWarranty } from "../../wire/credits/warranty.ts"
import type { SaleResult } from "../../wire/credits/x402.ts"
import { toNumber } from "../Money.ts"
import { SoldKey } from "./offer.ts"
import type { Payment, SubmittedTransaction } from "./Settler.ts"
import type { PaymentRequired, Settlement } from "./wire.ts"

/** `reserved` before anything is sent; `settling` from just before it is sent. */
const State = Schema.Literals(["reserved", "settling", "settled", "failed"])
export type State = typeof State.Type

/** What was read: the request, and the headers of its answer beside the body. */
export const SoldRead = Schema.Struct({
  target: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String)
})
export interface SoldRead extends Schema.Schema.Type<typeof SoldRead> {}

/** A row of `x402_sale`. */
export const Sale = Schema.Struct({
  id: Schema.String,
  network: Schema.String,
  asset: Schema.String,
  payer: Schema.String,
  nonce: Schema.String,
  recipient: Schema.String,
  amount: Schema.BigInt,
  valid_after: Schema.BigInt,
  valid_before: Schema.BigInt,
  signature: Schema.String,
  payment_id: Schema.NullOr(Schema.String),
  product_key: SoldKey,
  /** Null for a product. */
  read: Schema.NullOr(SoldRead),
  payload_sha256: Schema.String,
  checkpoint: Schema.NullOr(CheckpointName),
  state: State,
  lease_until: Schema.Date,
  since_block: Schema.BigInt,
  tx: Schema.NullOr(Schema.String),
  raw: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  settled_at: Schema.NullOr(Schema.Date)
})
export interface Sale extends Schema.Schema.Type<typeof Sale> {}

export const paymentOf = (sale: Sale): Payment => ({
  signature: sale.signature,
  authorization: {
    from: sale.payer,
    to: sale.recipient,
    value: sale.amount,
    validAfter: sale.valid_after,
    validBefore: sale.valid_before,
    nonce: sale.nonce
  }
})

export const submissionOf = ({ raw, tx }: Sale): SubmittedTransaction | undefined =>
  tx === null ? undefined : { transaction: tx, ...(raw === null ? {} : { raw }) }

/** The result before it is signed, and without `data`; always the same for the same sale. */
export type SaleHead = Omit<typeof SaleResult.Type, "data" | "receipt" | "warranty"> & {
  readonly product_key: SoldKey
  readonly warranty?: SaleWarranty
}

export const headOf = (
  sale: Sale,
  settledAt: Date,
  transaction: string,
  {
    commitment,
    warranty
  }: {
    readonly commitment: typeof Commitment.Type | undefined
    readonly warranty: SaleWarranty | undefined
  }
): SaleHead => ({
  status: "purchased",
  price_paid: toNumber(sale.amount),
  delivery: "inline",
  purchase_id: sale.id,
  product_key: sale.product_key,
  payload_sha256: sale.payload_sha256,
  purchased_at: settledAt.toISOString(),
  checkpoint: sale.checkpoint,
  ...(commitment === undefined ? {} : { commitment }),
  ...(warranty === undefined ? {} : { warranty }),
  payment: {
    scheme: "exact",
    network: sale.network,
    asset: sale.asset,
    amount: sale.amount.toString(),
    payer: sale.payer,
    pay_to: sale.recipient,
    nonce: sale.nonce,
    transaction
  }
})

/** Sold: the parts of a `SaleResult`, and the content of `PAYMENT-RESPONSE`. */
export interface Delivered {
  readonly head: SaleHead
  /** The payload as sent: the data of a product, or the body of an answer. */
  readonly data: Uint8Array
  /** Present if it is the body of an answer. */
  readonly read?: SoldRead
  readonly settlement: Settlement
}

/** The payment is missing, was rejected or failed; `required` is our offer. Nothing was charged. */
export class PaymentNeeded extends Data.TaggedError("PaymentNeeded")<{
  readonly message: string
  /** An x402 error code; absent if no payment was sent. */
  readonly reason?: string
  /** USD. */
  readonly price: number
  readonly required: PaymentRequired
  readonly settlement?: Settlement
}> {}

/** It is not yet known whether the money moved. Repeating the request is safe and never pays twice. */
export class SettlementPending extends Data.TaggedError("SettlementPending")<{
  readonly message: string
  readonly transaction?: string
  /** Seconds. */
  readonly retry_after: number
  readonly settlement: Settlement
}> {}
