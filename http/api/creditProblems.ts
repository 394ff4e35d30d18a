/** The problems of accounts, credits and tiers. Clients may import this file. */

import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"
import { Usd } from "../../core/wire/credits/money.ts"
import { HowToTopUp } from "../../core/wire/credits/receipt.ts"
import { HowToUnlock, Tier } from "../../core/wire/credits/tiers.ts"

export class KeyUnknown extends HttpApiError.Problem<KeyUnknown>()(
  "KeyUnknown",
  { type: "/problems/key-unknown", status: 401, title: "A known key is needed" },
  { error: Schema.tag("key_unknown"), message: Schema.String }
) {}

export class CreditsShort extends HttpApiError.Problem<CreditsShort>()(
  "CreditsShort",
  { type: "/problems/credits-short", status: 402, title: "Not enough credits" },
  {
    error: Schema.tag("credits_short"),
    message: Schema.String,
    price: Usd,
    credits_balance: Usd,
    shortfall: Usd,
    owed: Schema.optionalKey(Usd),
    how_to_topup: HowToTopUp
  }
) {}

export class TierTooLow extends HttpApiError.Problem<TierTooLow>()(
  "TierTooLow",
  { type: "/problems/tier-too-low", status: 402, title: "A higher tier is needed" },
  { error: Schema.tag("tier_too_low"), message: Schema.String, tier: Tier, how_to_unlock: HowToUnlock }
) {}

export class PurchaseUnknown extends HttpApiError.Problem<PurchaseUnknown>()(
  "PurchaseUnknown",
  { type: "/problems/purchase-unknown", status: 404, title: "No such purchase for this key" },
  { error: Schema.tag("purchase_unknown"), message: Schema.String }
) {}

export class IdempotencyKeyReused extends HttpApiError.Problem<IdempotencyKeyReused>()(
  "IdempotencyKeyReused",
  { type: "/problems/idempotency-key-reused", status: 422, title: "The Idempotency-Key has another body" },
  { error: Schema.tag("idempotency_key_reused"), message: Schema.String }
) {}

export class ProductUnavailable extends HttpApiError.Problem<ProductUnavailable>()(
  "ProductUnavailable",
  { type: "/problems/product-unavailable", status: 503, title: "The product cannot be delivered now" },
  { error: Schema.tag("product_unavailable"), message: Schema.String, product_key: Schema.String }
) {}

export class ProductWithdrawn extends HttpApiError.Problem<ProductWithdrawn>()(
  "ProductWithdrawn",
  { type: "/problems/product-withdrawn", status: 503, title: "The product is withdrawn" },
  { error: Schema.tag("product_withdrawn"), message: Schema.String, product_key: Schema.String }
) {}

export class ViewUnavailable extends HttpApiError.Problem<ViewUnavailable>()(
  "ViewUnavailable",
  { type: "/problems/view-unavailable", status: 503, title: "The view is not available" },
  { error: Schema.tag("view_unavailable"), message: Schema.String }
) {}

export class NoTable extends HttpApiError.Problem<NoTable>()(
  "NoTable",
  { type: "/problems/no-table", status: 422, title: "The dataset is no table" },
  { error: Schema.tag("no_table"), message: Schema.String, valid_values: Schema.Array(Schema.String) }
) {}

export class CardsUnavailable extends HttpApiError.Problem<CardsUnavailable>()(
  "CardsUnavailable",
  { type: "/problems/cards-unavailable", status: 503, title: "Card payments are not available" },
  { error: Schema.tag("cards_unavailable"), message: Schema.String }
) {}

export class EventRefused extends HttpApiError.Problem<EventRefused>()(
  "EventRefused",
  { type: "/problems/event-refused", status: 400, title: "The event is not taken" },
  { error: Schema.tag("event_refused"), message: Schema.String }
) {}

export class SessionUnknown extends HttpApiError.Problem<SessionUnknown>()(
  "SessionUnknown",
  { type: "/problems/session-unknown", status: 404, title: "No such paid session" },
  { error: Schema.tag("session_unknown"), message: Schema.String }
) {}

export class SessionOver extends HttpApiError.Problem<SessionOver>()(
  "SessionOver",
  { type: "/problems/session-over", status: 410, title: "The session gives its key no longer" },
  { error: Schema.tag("session_over"), message: Schema.String }
) {}

export class CryptoUnavailable extends HttpApiError.Problem<CryptoUnavailable>()(
  "CryptoUnavailable",
  { type: "/problems/crypto-unavailable", status: 503, title: "Stablecoin top-ups are not available" },
  { error: Schema.tag("crypto_unavailable"), message: Schema.String }
) {}

export class WalletUnverified extends HttpApiError.Problem<WalletUnverified>()(
  "WalletUnverified",
  { type: "/problems/wallet-unverified", status: 403, title: "The wallet is not verified for this key" },
  { error: Schema.tag("wallet_unverified"), message: Schema.String, field: Schema.String }
) {}
