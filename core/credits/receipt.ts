/** What a purchase looks like on the wire, and how it can be refused. */

import { Schema } from "effect"
import type { CheckpointName } from "../wire/credits/checkpointName.ts"
import { Usd } from "../wire/credits/money.ts"
import { HowToTopUp, type PurchaseItem, type PurchaseResult } from "../wire/credits/receipt.ts"
import { productKeys } from "../wire/products/keys.ts"
import { format, type Micros, toNumber } from "./Money.ts"

/** A purchase as it is kept. */
export interface Kept {
  readonly id: string
  readonly product_key: string
  readonly price: Micros
  readonly remaining: Micros
  readonly payload_sha256: string
  readonly checkpoint: CheckpointName | null
  readonly purchased_at: Date
}

export const receiptOf = (kept: Kept): typeof PurchaseItem.Type => ({
  purchase_id: kept.id,
  product_key: kept.product_key,
  price: toNumber(kept.price),
  payload_sha256: kept.payload_sha256,
  purchased_at: kept.purchased_at.toISOString(),
  checkpoint: kept.checkpoint
})

/** The result without its member `data`, which is the kept payload's bytes. */
export const resultHeadOf = (kept: Kept): Omit<typeof PurchaseResult.Type, "data"> => ({
  status: "purchased",
  price_paid: toNumber(kept.price),
  remaining_balance: toNumber(kept.remaining),
  delivery: "inline",
  purchase_id: kept.id,
  product_key: kept.product_key,
  payload_sha256: kept.payload_sha256,
  purchased_at: kept.purchased_at.toISOString(),
  checkpoint: kept.checkpoint
})

/** The ways of paying that are set up on this service. */
export interface Ways {
  readonly card: boolean
  readonly stablecoin: boolean
}

export const howToTopUp = ({ card, stablecoin }: Ways): typeof HowToTopUp.Type => ({
  ...(card ? { card: 'POST /v1/credits/topup with {"method": "stripe", "amount": 20} or 99' } : {}),
  ...(stablecoin
    ? {
        stablecoin: "POST /v1/credits/crypto/challenge; GET /v1/credits/crypto says whether it is available"
      }
    : {}),
  ...(card || stablecoin ? {} : { note: "This service takes no payments for credits; ask its operator." }),
  pricing: "/v1/credits/pricing"
})

/** Not enough credits; nothing was charged. */
export class CreditsShort extends Schema.TaggedError<CreditsShort>()("CreditsShort", {
  message: Schema.String,
  price: Usd,
  credits_balance: Usd,
  shortfall: Usd,
  owed: Schema.optionalKey(Usd),
  how_to_topup: HowToTopUp
}) {
  static readonly of = (price: Micros, balance: Micros, owed: Micros, ways: Ways) => {
    const shortfall = price + owed - balance
    return new CreditsShort({
      message:
        owed > 0n
          ? `Spending is restricted: ${format(owed)} USD of a refunded or disputed payment are owed. ` +
            `A top-up of ${format(shortfall)} USD settles that and pays this purchase. Nothing was charged.`
          : `The price is ${format(price)} USD and the balance ${format(balance)}: ` +
            `${format(shortfall)} USD are missing. Nothing was charged.`,
      price: toNumber(price),
      credits_balance: toNumber(balance),
      shortfall: toNumber(shortfall),
      ...(owed > 0n ? { owed: toNumber(owed) } : {}),
      how_to_topup: howToTopUp(ways)
    })
  }
}

export class ProductUnknown extends Schema.TaggedError<ProductUnknown>()("ProductUnknown", {
  message: Schema.String,
  field: Schema.String,
  valid_values: Schema.Array(Schema.String)
}) {
  static readonly of = (product: string) =>
    new ProductUnknown({
      message: `product_key: ${JSON.stringify(product.slice(0, 60))} is no product; /v1/credits/pricing lists them.`,
      field: "product_key",
      valid_values: [...productKeys]
    })
}

/** No longer sold (`depin_grades`); nothing was charged. */
export class ProductWithdrawn extends Schema.TaggedError<ProductWithdrawn>()("ProductWithdrawn", {
  message: Schema.String,
  product_key: Schema.String
}) {}

/** An `Idempotency-Key` stands for the request it first came with. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()("IdempotencyKeyReused", {
  message: Schema.String
}) {
  static readonly of = () =>
    new IdempotencyKeyReused({
      message:
        "This Idempotency-Key was used with another body. Send the first body to get its answer again, or a new key."
    })
}

/** No purchase with this id for this key: an id of another key and one that never was are the same. */
export class PurchaseUnknown extends Schema.TaggedError<PurchaseUnknown>()("PurchaseUnknown", {
  message: Schema.String
}) {
  static readonly of = () =>
    new PurchaseUnknown({
      message: "No purchase with this id for this key; GET /v1/credits/purchases lists yours."
    })
}
