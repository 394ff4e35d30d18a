/** Pages of the problems in `api/x402Problems.ts`. */
import type { ProblemPage } from "./page.ts"

export const x402ProblemPages: Readonly<Record<string, ProblemPage>> = {
  "payment-required": {
    status: 402,
    title: "A payment is needed",
    meaning:
      "The product is paid per request. No payment was sent, or it was refused, or its settlement failed: `reason` says which. Nothing was charged.",
    remedy: "Sign one of the ways in `accepts` and send it in `PAYMENT-SIGNATURE`; `how_to_pay` says how."
  },
  "payment-malformed": {
    status: 400,
    title: "The payment cannot be read",
    meaning: "The payment header is not base64 of a payment, or lacks a member. Nothing was charged.",
    remedy: "`message` names the member. The offer in the 402 shows what is signed."
  },
  "payment-reused": {
    status: 409,
    title: "The payment stands for another sale",
    meaning:
      "An authorization, and a payment identifier, is good for one sale. This one has its sale. Nothing was charged.",
    remedy: "Sign with a new nonce; or send the first payment unchanged to get its data again."
  },
  "delivery-over": {
    status: 410,
    title: "The sale is delivered no longer",
    meaning: "The authorization paid for a sale whose data was delivered again for 24 hours.",
    remedy: "Buy it anew with a new authorization."
  },
  "settlement-pending": {
    status: 503,
    title: "The payment is being settled",
    meaning:
      "The payment was submitted, and whether the money has moved is not known yet. It was not refused. `transaction` is where to look.",
    remedy:
      "Wait as long as `Retry-After` says and send the very same request again: it cannot pay twice. Do not sign another payment."
  },
  "offer-unavailable": {
    status: 503,
    title: "The product cannot be paid for now",
    meaning:
      "The product is not built yet, or payment per request is not set up or cannot reach its chain. Nothing was charged.",
    remedy: "`message` says which. GET /x402 lists what is available."
  }
}
