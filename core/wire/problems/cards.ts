/** Paying with a card. */
import { problem } from "./problem.ts"

/** Cards are not set up on this service, or Stripe did not answer. */
export class CardsUnavailable extends problem<CardsUnavailable>()("CardsUnavailable", "cards-unavailable", {
  status: 503,
  title: "Card payments are not available",
  meaning: "This service takes no cards, or Stripe did not answer. Nothing was charged.",
  remedy:
    "Try again, with the same Idempotency-Key if there was one. GET /v1/credits/crypto shows another way to pay."
}) {
  static readonly notConfigured = () =>
    new CardsUnavailable({
      message: "Card payments are not set up on this service (STRIPE_SECRET_KEY). Nothing was charged."
    })
}

/** A webhook that is not from Stripe, not of now, or not for this mode. */
export class EventRefused extends problem<EventRefused>()("EventRefused", "event-refused", {
  status: 400,
  title: "The event is not taken",
  meaning:
    "A webhook whose signature, time or mode does not hold. Nothing was done. Only Stripe calls this address.",
  remedy: "Check STRIPE_WEBHOOK_SECRET, the clock, and that test events go to a service with a test key."
}) {}

/** No paid session with this id: one that never was, one of another kind and one not paid yet are the same. */
export class SessionUnknown extends problem<SessionUnknown>()("SessionUnknown", "session-unknown", {
  status: 404,
  title: "No such paid session",
  meaning: "No checkout session of this kind with this id has been paid, as far as Stripe has told us.",
  remedy: "After a payment wait a minute and ask again."
}) {
  static readonly of = () =>
    new SessionUnknown({
      message: "No paid session with this id. A payment may take a minute to arrive; ask again."
    })
}

/** The 24 hours in which a session gives its key are over, or the key was rotated. */
export class SessionOver extends problem<SessionOver>()("SessionOver", "session-over", {
  status: 410,
  title: "The session gives its key no longer",
  meaning: "A session gives its key for 24 hours after payment, and only until that key is rotated.",
  remedy: "Use the key that was given then."
}) {
  static readonly of = () =>
    new SessionOver({
      message: "This session gave its key for 24 hours after payment. Use the key that it gave then."
    })
}
