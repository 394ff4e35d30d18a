/** The problems of payment per request. Clients may import this file. */

import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"
import { Usd } from "../../core/wire/credits/money.ts"
import { Requirements, Resource } from "../../core/wire/credits/x402.ts"

export const HowToPay = Schema.Struct({
  steps: Schema.Array(Schema.String).annotate({ description: "What to do, in order" }),
  spending_cap: Schema.String.annotate({
    description: "How a client with its default settings is let pay this price"
  }),
  retry: Schema.String.annotate({ description: "What to do when an answer is lost" })
}).annotate({ identifier: "HowToPay" })

/** The members of x402's own `PaymentRequired` stand beside ours; its `error` is our `reason`, and in the header. */
export class PaymentRequired extends HttpApiError.Problem<PaymentRequired>()(
  "PaymentRequired",
  { type: "/problems/payment-required", status: 402, title: "A payment is needed" },
  {
    error: Schema.tag("payment_required"),
    message: Schema.String,
    reason: Schema.optionalKey(
      Schema.String.annotate({ description: "Why the payment was not taken, in the protocol's words" })
    ),
    price_usd: Usd,
    x402Version: Schema.Literal(2),
    resource: Resource,
    accepts: Schema.Array(Requirements),
    extensions: Schema.Record(Schema.String, Schema.Unknown),
    how_to_pay: HowToPay
  }
) {}

export class PaymentMalformed extends HttpApiError.Problem<PaymentMalformed>()(
  "PaymentMalformed",
  { type: "/problems/payment-malformed", status: 400, title: "The payment cannot be read" },
  {
    error: Schema.tag("payment_malformed"),
    message: Schema.String,
    reason: Schema.Literal("invalid_payload"),
    field: Schema.optionalKey(Schema.String)
  }
) {}

export class PaymentReused extends HttpApiError.Problem<PaymentReused>()(
  "PaymentReused",
  { type: "/problems/payment-reused", status: 409, title: "The payment stands for another sale" },
  { error: Schema.tag("payment_reused"), message: Schema.String }
) {}

export class DeliveryOver extends HttpApiError.Problem<DeliveryOver>()(
  "DeliveryOver",
  { type: "/problems/delivery-over", status: 410, title: "The sale is delivered no longer" },
  { error: Schema.tag("delivery_over"), message: Schema.String }
) {}

export class SettlementPending extends HttpApiError.Problem<SettlementPending>()(
  "SettlementPending",
  { type: "/problems/settlement-pending", status: 503, title: "The payment is being settled" },
  {
    error: Schema.tag("settlement_pending"),
    message: Schema.String,
    transaction: Schema.optionalKey(
      Schema.String.annotate({ description: "The transaction that may settle it" })
    ),
    retry_after: Schema.Int
  }
) {}

export class OfferUnavailable extends HttpApiError.Problem<OfferUnavailable>()(
  "OfferUnavailable",
  { type: "/problems/offer-unavailable", status: 503, title: "The product cannot be paid for now" },
  {
    error: Schema.tag("offer_unavailable"),
    message: Schema.String,
    product_key: Schema.String,
    available: Schema.Literal(false)
  }
) {}
