/** Problems with payment per request (x402). */
import { Schema } from "effect"
import { ofTestMode, Usd } from "../credits/money.ts"
import { BodyRequirements, HowToPay, Resource } from "../credits/x402.ts"
import { problem } from "./problem.ts"

/** Includes the members of x402's own `PaymentRequired`, except that its `error` is our `reason`. */
export class PaymentRequired extends problem<PaymentRequired>()(
  "PaymentRequired",
  "payment-required",
  {
    status: 402,
    title: "Payment required",
    meaning:
      "This product is paid per request. No payment was sent, or it was rejected, or its settlement failed; `reason` says which. Nothing was charged.",
    remedy:
      "Sign one of the offers in `accepts` and send it in the `PAYMENT-SIGNATURE` header, or answer the challenge in `WWW-Authenticate`; `how_to_pay` lists the steps of both."
  },
  {
    reason: Schema.optionalKey(
      Schema.String.annotate({ description: "Why the payment was rejected, as an x402 error code" })
    ),
    ...ofTestMode,
    price_usd: Usd,
    x402Version: Schema.Literal(2),
    resource: Resource,
    accepts: Schema.Array(BodyRequirements),
    extensions: Schema.Record(Schema.String, Schema.Unknown),
    how_to_pay: HowToPay
  }
) {}

/** The payment header cannot be decoded or lacks a member; nothing was charged. */
export class PaymentMalformed extends problem<PaymentMalformed>()(
  "PaymentMalformed",
  "payment-malformed",
  {
    status: 400,
    title: "Malformed payment",
    meaning: "The payment header is not a base64-encoded payment, or lacks a member. Nothing was charged.",
    remedy: "`message` names the member. The offer in the 402 response shows what to sign."
  },
  {
    reason: Schema.tag("invalid_payload"),
    field: Schema.optionalKey(Schema.String)
  }
) {}

/** The authorization or payment identifier was already used for another sale. */
export class PaymentReused extends problem<PaymentReused>()("PaymentReused", "payment-reused", {
  status: 409,
  title: "The payment was already used",
  meaning:
    "An authorization or payment identifier pays for one sale, and this one was used for another. Nothing was charged.",
  remedy: "Sign with a new nonce, or resend the original payment unchanged to get its data again."
}) {}

/** The sale was delivered and can no longer be downloaded again. */
export class DeliveryOver extends problem<DeliveryOver>()("DeliveryOver", "delivery-over", {
  status: 410,
  title: "The sale can no longer be downloaded",
  meaning:
    "This authorization paid for a sale that could be downloaded again for 24 hours. That time is over.",
  remedy: "Buy the product again with a new authorization."
}) {}

export class SettlementPending extends problem<SettlementPending>()(
  "SettlementPending",
  "settlement-pending",
  {
    status: 503,
    title: "Settlement pending",
    meaning:
      "The payment was submitted, but it is not yet known whether the money moved. It was not rejected. Follow it in `transaction`.",
    remedy:
      "Wait for `Retry-After` seconds, then send exactly the same request again: it cannot pay twice. Do not sign another payment."
  },
  {
    transaction: Schema.optionalKey(
      Schema.String.annotate({ description: "The transaction that may settle it" })
    ),
    retry_after: Schema.Int
  }
) {}

/** The service cannot pay for a settlement, so it asks for no payment. */
export class SettlementUnavailable extends problem<SettlementUnavailable>()(
  "SettlementUnavailable",
  "settlement-unavailable",
  {
    status: 503,
    title: "Settlement unavailable",
    meaning: "The service cannot pay the gas of a settlement, so nothing is offered. Nothing was charged.",
    remedy:
      "Sign nothing, and try again later. What was paid before is delivered; credits do not depend on it."
  },
  {
    product_key: Schema.String
  }
) {}

/** The product is sold per request but unavailable right now. Nothing was charged. */
export class OfferUnavailable extends problem<OfferUnavailable>()(
  "OfferUnavailable",
  "offer-unavailable",
  {
    status: 503,
    title: "The offer is not available",
    meaning:
      "The product is not built yet, payment per request is not configured, or its chain cannot be reached. Nothing was charged.",
    remedy: "`message` says which. GET /x402 lists the available products."
  },
  {
    product_key: Schema.String,
    available: Schema.tag(false)
  }
) {}
