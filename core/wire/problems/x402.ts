/** Payment per request. */
import { Schema } from "effect"
import { Usd } from "../credits/money.ts"
import { HowToPay, Requirements, Resource } from "../credits/x402.ts"
import { problem } from "./problem.ts"

/** The members of x402's own `PaymentRequired` stand beside ours; its `error` is our `reason`, and in the header. */
export class PaymentRequired extends problem<PaymentRequired>()(
  "PaymentRequired",
  "payment-required",
  {
    status: 402,
    title: "A payment is needed",
    meaning:
      "The product is paid per request. No payment was sent, or it was refused, or its settlement failed: `reason` says which. Nothing was charged.",
    remedy: "Sign one of the ways in `accepts` and send it in `PAYMENT-SIGNATURE`; `how_to_pay` says how."
  },
  {
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

/** A payment header that cannot be read, or lacks a member; nothing was charged. */
export class PaymentMalformed extends problem<PaymentMalformed>()(
  "PaymentMalformed",
  "payment-malformed",
  {
    status: 400,
    title: "The payment cannot be read",
    meaning: "The payment header is not base64 of a payment, or lacks a member. Nothing was charged.",
    remedy: "`message` names the member. The offer in the 402 shows what is signed."
  },
  {
    reason: Schema.tag("invalid_payload"),
    field: Schema.optionalKey(Schema.String)
  }
) {}

/** The authorization, or the payment identifier, stands for another sale. */
export class PaymentReused extends problem<PaymentReused>()("PaymentReused", "payment-reused", {
  status: 409,
  title: "The payment stands for another sale",
  meaning:
    "An authorization, and a payment identifier, is good for one sale. This one has its sale. Nothing was charged.",
  remedy: "Sign with a new nonce; or send the first payment unchanged to get its data again."
}) {}

/** The sale was delivered, and its time to be delivered again is over. */
export class DeliveryOver extends problem<DeliveryOver>()("DeliveryOver", "delivery-over", {
  status: 410,
  title: "The sale is delivered no longer",
  meaning: "The authorization paid for a sale whose data was delivered again for 24 hours.",
  remedy: "Buy it anew with a new authorization."
}) {}

export class SettlementPending extends problem<SettlementPending>()(
  "SettlementPending",
  "settlement-pending",
  {
    status: 503,
    title: "The payment is being settled",
    meaning:
      "The payment was submitted, and whether the money has moved is not known yet. It was not refused. `transaction` is where to look.",
    remedy:
      "Wait as long as `Retry-After` says and send the very same request again: it cannot pay twice. Do not sign another payment."
  },
  {
    transaction: Schema.optionalKey(
      Schema.String.annotate({ description: "The transaction that may settle it" })
    ),
    retry_after: Schema.Int
  }
) {}

/** Sold per request, and not at the moment. Nothing was charged. */
export class OfferUnavailable extends problem<OfferUnavailable>()(
  "OfferUnavailable",
  "offer-unavailable",
  {
    status: 503,
    title: "The product cannot be paid for now",
    meaning:
      "The product is not built yet, or payment per request is not set up or cannot reach its chain. Nothing was charged.",
    remedy: "`message` says which. GET /x402 lists what is available."
  },
  {
    product_key: Schema.String,
    available: Schema.tag(false)
  }
) {}
