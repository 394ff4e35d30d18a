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
      "The balance is below the price, or the account still owes a refunded or disputed payment. Nothing was charged. Credits never unlock a tier.",
    remedy: "Add at least `shortfall`; `how_to_topup` says how.",
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

/** This key has no such purchase. Another key's purchase gets the same answer as an unknown id. */
/** The buyer's own limit for one purchase. */
export class OverBudget extends problem<OverBudget>()(
  "OverBudget",
  "over-budget",
  {
    status: 402,
    title: "The price is above your budget",
    meaning: "The price is higher than the `max_price_usd` of the request. Nothing was charged.",
    remedy: "Choose a cheaper product of /v1/credits/pricing, or send a higher `max_price_usd`.",
    accountHint: "list_products has the prices; ask the person who set the budget before you raise it."
  },
  {
    price: Usd,
    max_price_usd: Usd
  }
) {}

export class PurchaseUnknown extends problem<PurchaseUnknown>()("PurchaseUnknown", "purchase-unknown", {
  status: 404,
  title: "No such purchase for this key",
  meaning: "This key has no purchase with this id. Purchases of other keys get the same answer.",
  remedy: "GET /v1/credits/purchases lists this key's purchases."
}) {
  static readonly of = () =>
    new PurchaseUnknown({
      message: "No purchase with this id for this key; GET /v1/credits/purchases lists yours."
    })
}

/** An `Idempotency-Key` belongs to the request it was first sent with. */
export class IdempotencyKeyReused extends problem<IdempotencyKeyReused>()(
  "IdempotencyKeyReused",
  "idempotency-key-reused",
  {
    status: 422,
    title: "The Idempotency-Key was used with another body",
    meaning: "An earlier request used this key with a different body. Nothing was done.",
    remedy: "Resend the original body to get its response again, or use a new key for a new request.",
    accountHint: "Use a new idempotency_key for a new request."
  }
) {
  static readonly of = () =>
    new IdempotencyKeyReused({
      message:
        "This Idempotency-Key was already used with a different body. Resend the original body, or use a new key."
    })
}

/** The payload cannot be built now; nothing is charged. */
export class ProductUnavailable extends problem<ProductUnavailable>()(
  "ProductUnavailable",
  "product-unavailable",
  {
    status: 503,
    title: "The product is not available",
    meaning: "The product is not built yet, or building its payload failed. Nothing was charged.",
    remedy: "`message` says why. /v1/credits/pricing shows which products are available.",
    accountHint: "list_products shows which products are available."
  },
  {
    product_key: Schema.String
  }
) {}

/** Nothing of it can be delivered now; asked before any offer or charge. */
export class NothingToDeliver extends problem<NothingToDeliver>()(
  "NothingToDeliver",
  "nothing-to-deliver",
  {
    status: 503,
    title: "Nothing to deliver",
    meaning:
      "What it is for is not there, or its sources do not let it be sold. Nothing was offered or charged.",
    remedy: "`message` says why; /sources shows what each source allows.",
    accountHint: "list_products shows what each has."
  },
  {
    product_key: Schema.String
  }
) {
  /** `missing` are the words of the price list. */
  static readonly of = (key: string, missing: ReadonlyArray<string>) =>
    new NothingToDeliver({
      product_key: key,
      message: `${key} has nothing to deliver now: ${missing.join("; ")}. Nothing was offered or charged.`
    })
}

/** Nobody has read that these may be sold; nothing was charged. */
export class NotForResale extends problem<NotForResale>()(
  "NotForResale",
  "not-for-resale",
  {
    status: 403,
    title: "The payloads are not for resale",
    meaning:
      "The upstream's terms forbid resale, or nobody has read that they allow it. Nothing was charged.",
    remedy: "Choose a run of /v1/derivation whose `resell` is true. The hashes of every run are free there.",
    accountHint: "get_derivation_ledger lists the runs with `resell`."
  },
  {
    product_key: Schema.String,
    plugin: Schema.optionalKey(Schema.String)
  }
) {}

/** No longer sold (`depin_grades`); nothing was charged. */
export class ProductWithdrawn extends problem<ProductWithdrawn>()(
  "ProductWithdrawn",
  "product-withdrawn",
  {
    status: 503,
    title: "The product is withdrawn",
    meaning: "The product is still listed but no longer sold. Nothing was charged.",
    remedy: "Choose another product from /v1/credits/pricing.",
    accountHint: "list_products shows which products are available."
  },
  {
    product_key: Schema.String
  }
) {}

/** The buyer's own bound on the age of the data; nothing was charged. */
export class DataTooOld extends problem<DataTooOld>()(
  "DataTooOld",
  "data-too-old",
  {
    status: 412,
    title: "The data is older than you accept",
    meaning:
      "The purchase states in `min_as_of` the oldest value that it pays for, and the data has an older one. Nothing was charged.",
    remedy: "Send an earlier `min_as_of`, or leave it out, or try again later."
  },
  {
    product_key: Schema.String,
    min_as_of: Schema.String.annotate({ description: "What the purchase requested" }),
    oldest_as_of: Schema.optionalKey(
      Schema.String.annotate({ description: "`as_of` of the oldest value of the data" })
    ),
    newest_as_of: Schema.optionalKey(
      Schema.String.annotate({ description: "`as_of` of the newest value of the data" })
    )
  }
) {}
