/** Pages of the problems in `api/creditProblems.ts`. */
import type { ProblemPage } from "./page.ts"

export const creditProblemPages: Readonly<Record<string, ProblemPage>> = {
  "key-unknown": {
    status: 401,
    title: "A known key is needed",
    meaning:
      "The header `X-API-Key` is missing, or holds a key that is unknown, has ended or opens something else.",
    remedy: "Send the key that registration gave. POST /v1/credits/register gives a new one."
  },
  "credits-short": {
    status: 402,
    title: "Not enough credits",
    meaning:
      "The balance is below the price, or a refund or dispute is still owed. Nothing was charged. Credits never unlock a tier.",
    remedy: "`shortfall` is what is missing and `how_to_topup` says how to add it."
  },
  "tier-too-low": {
    status: 402,
    title: "A higher tier is needed",
    meaning: "The view belongs to a subscription tier above the caller's. Credits do not change the tier.",
    remedy: "`how_to_unlock` names the tier and the way to it."
  },
  "purchase-unknown": {
    status: 404,
    title: "No such purchase for this key",
    meaning: "The key has no purchase with this id. Purchases of other keys are not told apart from none.",
    remedy: "GET /v1/credits/purchases lists the purchases of the key."
  },
  "idempotency-key-reused": {
    status: 422,
    title: "The Idempotency-Key has another body",
    meaning: "The key already stands for a request with another body. Nothing was done.",
    remedy: "Send the first body to get its answer again, or use a new key for a new request."
  },
  "product-unavailable": {
    status: 503,
    title: "The product cannot be delivered now",
    meaning: "Its payload could not be built, or it is not built yet. Nothing was charged.",
    remedy: "`message` says why; /v1/credits/pricing shows what is available."
  },
  "product-withdrawn": {
    status: 503,
    title: "The product is withdrawn",
    meaning: "The product is listed but no longer delivered. Nothing was charged.",
    remedy: "/v1/credits/pricing lists what is available."
  },
  "view-unavailable": {
    status: 503,
    title: "The view is not available",
    meaning: "The caller may read the view, and it cannot be made at the moment.",
    remedy: "`message` says why. Trying again later costs nothing."
  },
  "cards-unavailable": {
    status: 503,
    title: "Card payments are not available",
    meaning: "This service takes no cards, or Stripe did not answer. Nothing was charged.",
    remedy:
      "Try again, with the same Idempotency-Key if there was one. GET /v1/credits/crypto shows another way to pay."
  },
  "event-refused": {
    status: 400,
    title: "The event is not taken",
    meaning:
      "A webhook whose signature, time or mode does not hold. Nothing was done. Only Stripe calls this address.",
    remedy: "Check STRIPE_WEBHOOK_SECRET, the clock, and that test events go to a service with a test key."
  },
  "session-unknown": {
    status: 404,
    title: "No such paid session",
    meaning: "No checkout session of this kind with this id has been paid, as far as Stripe has told us.",
    remedy: "After a payment wait a minute and ask again."
  },
  "session-over": {
    status: 410,
    title: "The session gives its key no longer",
    meaning: "A session gives its key for 24 hours after payment, and only until that key is rotated.",
    remedy: "Use the key that was given then."
  },
  "no-table": {
    status: 422,
    title: "The dataset is no table",
    meaning: "Its parts have parts of their own, which rows and columns cannot hold.",
    remedy: "Take it with format=ndjson."
  },
  "crypto-unavailable": {
    status: 503,
    title: "Stablecoin top-ups are not available",
    meaning: "No chain is set up on this service, or it cannot be read at the moment. Nothing was changed.",
    remedy: "GET /v1/credits/crypto says why and whether they are available again."
  },
  "wallet-unverified": {
    status: 403,
    title: "The wallet is not verified for this key",
    meaning: "Only transfers from a wallet that this key has verified are credited to it.",
    remedy:
      "POST /v1/credits/crypto/challenge, sign the message, POST /v1/credits/crypto/verify, then ask again."
  }
}
