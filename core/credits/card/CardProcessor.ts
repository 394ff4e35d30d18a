/** The port to Stripe: what we ask of it and what it tells us, in our words. The adapter is in `runtime/outside`. */
import { Context, type Effect, Schema } from "effect"
import type { EventRefused } from "../../wire/problems/cards.ts"
import type { Micros } from "../Money.ts"

/** Stripe could not be asked, or refused. Whether something was made there is not known: ask again with the same id. */
export class CardsUnreachable extends Schema.TaggedError<CardsUnreachable>()("CardsUnreachable", {
  message: Schema.String
}) {}

export interface Checkout {
  /** Our order: it is Stripe's idempotency key, too, so that one order never has two sessions. */
  readonly order: string
  readonly mode: "payment" | "subscription"
  readonly amount: Micros
  readonly title: string
  readonly email?: string
  readonly successUrl: string
  readonly cancelUrl: string
}

/** What an event says, as far as it concerns us. Amounts are micro-dollars; `undefined` currency is another than USD. */
export type CardEvent = { readonly id: string; readonly type: string; readonly at: Date } & (
  | {
      readonly kind: "session"
      readonly session: string
      readonly order: string | undefined
      readonly outcome: "paid" | "waiting" | "closed"
      readonly mode: string
      readonly amount: Micros | undefined
      readonly payment: string | undefined
      readonly subscription: string | undefined
      readonly customer: string | undefined
    }
  /** The total that a payment gave back by then. */
  | { readonly kind: "refunds"; readonly payment: string; readonly total: Micros }
  /** One refund, and whether it came to nothing: once it has, it stays so. */
  | {
      readonly kind: "refund"
      readonly refund: string
      readonly payment: string
      readonly amount: Micros
      readonly failed: boolean
    }
  | {
      readonly kind: "dispute"
      readonly payment: string
      readonly amount: Micros
      readonly state: "open" | "won" | "lost"
    }
  | {
      readonly kind: "subscription"
      readonly subscription: string
      readonly order: string | undefined
      readonly customer: string | undefined
      readonly price: string | undefined
      readonly state: "active" | "past_due" | "canceling" | "ended"
      readonly periodEnds: Date | undefined
    }
  | { readonly kind: "invoice"; readonly subscription: string; readonly paid: boolean }
  | { readonly kind: "other" }
)

export interface CardProcessor {
  readonly checkout: (
    order: Checkout
  ) => Effect.Effect<{ readonly session: string; readonly url: string }, CardsUnreachable>
  /** Address where a customer changes card or cancels. */
  readonly portal: (customer: string, returnUrl: string) => Effect.Effect<string, CardsUnreachable>
  /** The event of a webhook's raw body, once its signature, age and mode hold. */
  readonly event: (body: Uint8Array, signature: string) => Effect.Effect<CardEvent, EventRefused>
}

/** Null where no Stripe key is configured. */
export const CardProcessor = Context.Reference<CardProcessor | null>("core/credits/card/CardProcessor", {
  defaultValue: () => null
})
