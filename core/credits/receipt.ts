/** Purchases as stored and as returned, and errors that contain amounts. */
import { Effect, Schema } from "effect"
import { productKeys } from "../products/index.ts"
import { CheckpointName } from "../wire/credits/checkpointName.ts"
import type { HowToTopUp, PurchaseItem, PurchaseResult } from "../wire/credits/receipt.ts"
import { CreditsShort, OverBudget } from "../wire/problems/purchases.ts"
import { BadParameter } from "../wire/problems/request.ts"
import { format, type Micros, toNumber } from "./Money.ts"
import type { Accepted } from "./waysToPay.ts"

/** What a service accepts that adds credits. */
type TopUps = Pick<Accepted, "card" | "stablecoin">

/** A purchase as stored. */
export const PurchaseRecord = Schema.Struct({
  id: Schema.String,
  product_key: Schema.String,
  price: Schema.BigInt,
  remaining: Schema.BigInt,
  payload_sha256: Schema.String,
  checkpoint: Schema.NullOr(CheckpointName),
  purchased_at: Schema.Date
})
export interface PurchaseRecord extends Schema.Schema.Type<typeof PurchaseRecord> {}

export const receiptOf = (purchase: PurchaseRecord): typeof PurchaseItem.Type => ({
  purchase_id: purchase.id,
  product_key: purchase.product_key,
  price: toNumber(purchase.price),
  payload_sha256: purchase.payload_sha256,
  purchased_at: purchase.purchased_at.toISOString(),
  checkpoint: purchase.checkpoint
})

/** The result without `data`, which is added as the stored bytes. */
export const resultHeadOf = (purchase: PurchaseRecord): Omit<typeof PurchaseResult.Type, "data"> => ({
  status: "purchased",
  price_paid: toNumber(purchase.price),
  remaining_balance: toNumber(purchase.remaining),
  delivery: "inline",
  purchase_id: purchase.id,
  product_key: purchase.product_key,
  payload_sha256: purchase.payload_sha256,
  purchased_at: purchase.purchased_at.toISOString(),
  checkpoint: purchase.checkpoint
})

export const howToTopUp = ({ card, stablecoin }: TopUps): typeof HowToTopUp.Type => ({
  ...(card ? { card: 'POST /v1/credits/topup with {"method": "stripe", "amount": 20} or 99' } : {}),
  ...(stablecoin
    ? {
        stablecoin: "POST /v1/credits/crypto/challenge; GET /v1/credits/crypto says whether it is available"
      }
    : {}),
  ...(card || stablecoin ? {} : { note: "This service does not sell credits; ask its operator." }),
  pricing: "/v1/credits/pricing"
})

/** The error for a purchase that the balance does not cover. */
export const creditsShort = (price: Micros, balance: Micros, owed: Micros, ways: TopUps) => {
  const shortfall = price + owed - balance
  return new CreditsShort({
    message:
      owed > 0n
        ? `Spending is restricted: the account owes ${format(owed)} USD for a refunded or disputed payment. ` +
          `A top-up of ${format(shortfall)} USD covers that and this purchase. Nothing was charged.`
        : `The price is ${format(price)} USD and the balance is ${format(balance)} USD: ` +
          `${format(shortfall)} USD short. Nothing was charged.`,
    price: toNumber(price),
    credits_balance: toNumber(balance),
    shortfall: toNumber(shortfall),
    ...(owed > 0n ? { owed: toNumber(owed) } : {}),
    how_to_topup: howToTopUp(ways)
  })
}

/** Fails if the price is above what the buyer is willing to pay for this purchase. */
export const requireWithin = Effect.fnUntraced(function* (price: Micros, limit: unknown) {
  if (limit === undefined) return
  const number = typeof limit === "string" && limit.trim() !== "" ? Number(limit) : limit
  if (typeof number !== "number" || !Number.isFinite(number) || number < 0) {
    const valid = "a number of USD, 0 or more"
    return yield* new BadParameter({
      field: "max_price_usd",
      message: `max_price_usd must be ${valid}.`,
      valid
    })
  }
  if (toNumber(price) <= number) return
  return yield* new OverBudget({
    message: `The price is ${format(price)} USD, above your max_price_usd of ${number}. Nothing was charged.`,
    price: toNumber(price),
    max_price_usd: number
  })
})

export const productUnknown = (product: string) =>
  new BadParameter({
    message: `Unknown product_key ${JSON.stringify(product.slice(0, 60))}. See /v1/credits/pricing for all products.`,
    field: "product_key",
    valid_values: [...productKeys]
  })
