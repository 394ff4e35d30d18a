/** A sale without an account: how it is kept, what it looks like on the wire, and how it can be refused. */

import { Data, Schema } from "effect"
import type { CheckpointName } from "../../wire/credits/checkpointName.ts"
import type { SaleResult } from "../../wire/credits/x402.ts"
import type { ProductKey } from "../../wire/products/keys.ts"
import { type Micros, toNumber } from "../Money.ts"
import type { Payment, Sent } from "./Settler.ts"
import type { PaymentRequired, Settlement } from "./wire.ts"

/** Reserved before anything is sent, settling from the moment before it is. */
export type State = "reserved" | "settling" | "settled" | "failed"

/** A row of `x402_sale`. */
export interface Sale {
  readonly id: string
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly nonce: string
  readonly recipient: string
  readonly amount: Micros
  readonly valid_after: bigint
  readonly valid_before: bigint
  readonly signature: string
  readonly payment_id: string | null
  readonly product_key: ProductKey
  readonly payload_sha256: string
  readonly checkpoint: CheckpointName | null
  readonly state: State
  readonly lease_until: Date
  readonly since_block: bigint
  readonly tx: string | null
  readonly raw: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly settled_at: Date | null
}

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

export const sentOf = ({ raw, tx }: Sale): Sent | undefined =>
  tx === null ? undefined : { transaction: tx, ...(raw === null ? {} : { raw }) }

/** The result without its member `data`: the same text for the same sale, however often it is asked for. */
export const headOf = (
  sale: Sale,
  settledAt: Date,
  transaction: string
): Omit<typeof SaleResult.Type, "data"> => ({
  status: "purchased",
  price_paid: toNumber(sale.amount),
  delivery: "inline",
  purchase_id: sale.id,
  product_key: sale.product_key,
  payload_sha256: sale.payload_sha256,
  purchased_at: settledAt.toISOString(),
  checkpoint: sale.checkpoint,
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

/** Sold: the bytes of a `SaleResult` and the content of `PAYMENT-RESPONSE`. */
export interface Delivered {
  readonly body: Uint8Array
  readonly settlement: Settlement
}

/** No payment, or one that was refused or failed; `required` is our offer. Nothing was charged. */
export class PaymentNeeded extends Data.TaggedError("PaymentNeeded")<{
  readonly message: string
  /** A name of the protocol; absent where no payment was sent. */
  readonly reason?: string
  /** USD. */
  readonly price: number
  readonly required: PaymentRequired
  readonly settlement?: Settlement
}> {}

/** The authorization, or the payment identifier, stands for another sale. */
export class PaymentReused extends Schema.TaggedError<PaymentReused>()("PaymentReused", {
  message: Schema.String
}) {}

/** It is not known yet whether the money has moved: the same request again tells, and never pays twice. */
export class SettlementPending extends Data.TaggedError("SettlementPending")<{
  readonly message: string
  readonly transaction?: string
  /** Seconds. */
  readonly retry_after: number
  readonly settlement: Settlement
}> {}

/** The sale was delivered, and its time to be delivered again is over. */
export class DeliveryOver extends Schema.TaggedError<DeliveryOver>()("DeliveryOver", {
  message: Schema.String
}) {}

/** Sold per request, and not at the moment. Nothing was charged. */
export class OfferUnavailable extends Schema.TaggedError<OfferUnavailable>()("OfferUnavailable", {
  product_key: Schema.String,
  message: Schema.String
}) {}

/** Not sold per request. */
export class NotOffered extends Schema.TaggedError<NotOffered>()("NotOffered", {
  message: Schema.String
}) {}
