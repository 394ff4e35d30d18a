/** Paying with a card. */
import { problem } from "./problem.ts"

/** Cards are not configured on this service, or Stripe did not respond. */
export class CardsUnavailable extends problem<CardsUnavailable>()("CardsUnavailable", "cards-unavailable", {
  status: 503,
  title: "Card payments are not available",
  meaning: "This service does not accept cards, or Stripe did not respond. Nothing was charged.",
  remedy:
    "Try again, with the same `Idempotency-Key` if you sent one. GET /v1/credits/crypto describes stablecoin payment."
}) {
  static readonly notConfigured = () =>
    new CardsUnavailable({
      message: "Card payments are not configured on this service (STRIPE_SECRET_KEY). Nothing was charged."
    })
}

/** A webhook with a bad signature, an old timestamp, or test events sent to a live key (or the reverse). */
export class EventRefused extends problem<EventRefused>()("EventRefused", "event-refused", {
  status: 400,
  title: "The webhook event was rejected",
  meaning:
    "The signature, timestamp or mode of the webhook is not valid. Nothing was changed. Only Stripe calls this URL.",
  remedy:
    "Check STRIPE_WEBHOOK_SECRET and the server clock, and that test events go to a service with a test key."
}) {}

/** No paid session with this id. Unknown, unpaid and wrong-kind sessions all get the same answer. */
export class SessionUnknown extends problem<SessionUnknown>()("SessionUnknown", "session-unknown", {
  status: 404,
  title: "No such paid session",
  meaning: "Stripe has not reported a paid checkout session of this kind with this id.",
  remedy: "If you have just paid, wait a minute and try again."
}) {
  static readonly of = () =>
    new SessionUnknown({
      message: "No paid session with this id. A payment can take a minute to arrive; try again then."
    })
}

/** A session returns its key for 24 hours after payment, and only until the key is rotated. */
export class SessionOver extends problem<SessionOver>()("SessionOver", "session-over", {
  status: 410,
  title: "The session no longer returns its key",
  meaning: "A session returns its key for 24 hours after payment, and only until that key is rotated.",
  remedy: "Use the key it returned during that time."
}) {
  static readonly of = () =>
    new SessionOver({
      message:
        "This session no longer returns its key: 24 hours have passed since payment, or the key was rotated. Use the key you saved."
    })
}
