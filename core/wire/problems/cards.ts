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
      message: "Card payments are not configured on this service. Nothing was charged."
    })
}

/** A webhook with a bad signature, an old timestamp, or test events sent to a live key (or the reverse). */
export class EventRefused extends problem<EventRefused>()("EventRefused", "event-refused", {
  status: 400,
  title: "The webhook event was rejected",
  meaning:
    "The signature, timestamp or mode of the webhook is not valid. Nothing was changed. Only Stripe calls this URL.",
  remedy:
    "Whoever runs the service: compare the secret of the webhook and the server clock, and send test events to a service with a test key."
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

/** Another checkout of this account was paid and has not arrived yet. */
export class SubscriptionPending extends problem<SubscriptionPending>()(
  "SubscriptionPending",
  "subscription-pending",
  {
    status: 409,
    title: "A subscription was just paid",
    meaning:
      "Another checkout of this account was completed, and Stripe has not reported its payment yet. A second one would be paid twice, so none was opened.",
    remedy: "Wait a minute, look at GET /v1/credits/subscription, and change the subscription then."
  }
) {
  static readonly of = () =>
    new SubscriptionPending({
      message:
        "Another checkout of this account was just completed. Look at GET /v1/credits/subscription in a minute."
    })
}

/** The card did not pay the difference of a change. Nothing was changed. */
export class PaymentDeclined extends problem<PaymentDeclined>()("PaymentDeclined", "payment-declined", {
  status: 402,
  title: "The card did not pay",
  meaning: "The bank did not pay the difference for the rest of the period. The subscription is as it was.",
  remedy: "Change the card at the address that POST /v1/credits/portal returns, then repeat the request."
}) {}

/** The account has no subscription that could be cancelled. */
export class NotSubscribed extends problem<NotSubscribed>()("NotSubscribed", "not-subscribed", {
  status: 404,
  title: "This account has no subscription",
  meaning:
    "The account has no live subscription that was paid by card. A tier may still be set by the operator.",
  remedy: "POST /v1/credits/subscription starts one."
}) {
  static readonly of = () =>
    new NotSubscribed({ message: "This account has no live subscription. Nothing was changed." })
}
