/** Buying with credits. */
import { Schema } from "effect"
import { Usd } from "../credits/money.ts"
import { HowToTopUp } from "../credits/receipt.ts"
import { problem } from "./problem.ts"

/** Not enough credits; nothing was charged. */
export class CreditsShort extends problem<CreditsShort>()(
  "CreditsShort",
  "credits-short",
  {
    status: 402,
    title: "Not enough credits",
    meaning:
      "The balance is below the price, or a refund or dispute is still owed. Nothing was charged. Credits never unlock a tier.",
    remedy: "`shortfall` is what is missing and `how_to_topup` says how to add it.",
    accountHint: "topup_credits gets a payment link; check_balance shows the balance."
  },
  {
    price: Usd,
    credits_balance: Usd,
    shortfall: Usd,
    owed: Schema.optionalKey(Usd),
    how_to_topup: HowToTopUp
  }
) {}

/** No purchase with this id for this key: an id of another key and one that never was are the same. */
export class PurchaseUnknown extends problem<PurchaseUnknown>()("PurchaseUnknown", "purchase-unknown", {
  status: 404,
  title: "No such purchase for this key",
  meaning: "The key has no purchase with this id. Purchases of other keys are not told apart from none.",
  remedy: "GET /v1/credits/purchases lists the purchases of the key."
}) {
  static readonly of = () =>
    new PurchaseUnknown({
      message: "No purchase with this id for this key; GET /v1/credits/purchases lists yours."
    })
}

/** An `Idempotency-Key` stands for the request it first came with. */
export class IdempotencyKeyReused extends problem<IdempotencyKeyReused>()(
  "IdempotencyKeyReused",
  "idempotency-key-reused",
  {
    status: 422,
    title: "The Idempotency-Key has another body",
    meaning: "The key already stands for a request with another body. Nothing was done.",
    remedy: "Send the first body to get its answer again, or use a new key for a new request.",
    accountHint: "Send a new idempotency_key for another purchase."
  }
) {
  static readonly of = () =>
    new IdempotencyKeyReused({
      message:
        "This Idempotency-Key was used with another body. Send the first body to get its answer again, or a new key."
    })
}

/** The payload cannot be made now; nothing is charged. */
export class ProductUnavailable extends problem<ProductUnavailable>()(
  "ProductUnavailable",
  "product-unavailable",
  {
    status: 503,
    title: "The product cannot be delivered now",
    meaning: "Its payload could not be built, or it is not built yet. Nothing was charged.",
    remedy: "`message` says why; /v1/credits/pricing shows what is available.",
    accountHint: "list_products shows which products are available."
  },
  {
    product_key: Schema.String
  }
) {}

/** No longer sold (`depin_grades`); nothing was charged. */
export class ProductWithdrawn extends problem<ProductWithdrawn>()(
  "ProductWithdrawn",
  "product-withdrawn",
  {
    status: 503,
    title: "The product is withdrawn",
    meaning: "The product is listed but no longer delivered. Nothing was charged.",
    remedy: "/v1/credits/pricing lists what is available.",
    accountHint: "list_products shows which products are available."
  },
  {
    product_key: Schema.String
  }
) {}
