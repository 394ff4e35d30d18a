/** The port to Stripe. The adapter is in `runtime/outside`. */
import { Context, type Effect, Schema } from "effect"
import type { EventRefused } from "../../wire/problems/cards.ts"
import type { Micros } from "../Money.ts"

/** Stripe could not be reached or rejected the call. It may still have acted, so retry with the same id. */
export class CardsUnreachable extends Schema.TaggedError<CardsUnreachable>()("CardsUnreachable", {
  message: Schema.String
}) {}

export interface Checkout {
  /** Our order id, also Stripe's idempotency key, so an order never gets two sessions. */
  readonly order: string
  readonly mode: "payment" | "subscription"
  readonly amount: Micros
  readonly title: string
  readonly email?: string
  /** The customer of an earlier subscription. */
  readonly customer?: string
  /** Written into the subscription, so that its events say what was bought. */
  readonly sku: string
  readonly successUrl: string
  readonly cancelUrl: string
}

/** A subscription as Stripe has it. */
export interface SubscriptionStatus {
  /** As written at the checkout or the last change; undefined for one from before that was done. */
  readonly sku: string | undefined
  /** Stripe's id of the price. */
  readonly price: string | undefined
  /** What is charged for each period; undefined if the currency is not USD. */
  readonly rate: Micros | undefined
  readonly state: "active" | "past_due" | "canceling" | "ended"
  readonly periodEnds: Date | undefined
}

/** What a subscription changes to. */
export interface Plan {
  readonly sku: string
  readonly amount: Micros
  readonly title: string
}

/** The relevant content of an event. Amounts are micro-dollars, undefined if the currency is not USD. */
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
  /** The total refunded from a payment so far. */
  | { readonly kind: "refunds"; readonly payment: string; readonly total: Micros }
  /** One refund, and whether it failed; a failure is final. */
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
  | ({
      readonly kind: "subscription"
      readonly subscription: string
      readonly order: string | undefined
      readonly customer: string | undefined
    } & SubscriptionStatus)
  | {
      readonly kind: "invoice"
      readonly invoice: string
      readonly subscription: string
      readonly paid: boolean
      /** What was paid by card; 0 if the customer's balance covered it. */
      readonly amount: Micros | undefined
    }
  /** Which payment paid an invoice. */
  | { readonly kind: "invoice_payment"; readonly invoice: string; readonly payment: string }
  | { readonly kind: "other" }
)

/** One line of the balance at Stripe. */
export interface BalanceLine {
  readonly id: string
  readonly at: Date
  /** Stripe's name of the kind of line. */
  readonly type: string
  /** The payment that it belongs to; undefined for a payout, a fee and other lines that no customer caused. */
  readonly payment: string | undefined
  /** Before fees; negative for a refund or a dispute. Undefined if it is not in USD. */
  readonly amount: Micros | undefined
  readonly fee: Micros
}

/** The card did not pay. Nothing was changed. */
export class CardDeclined extends Schema.TaggedError<CardDeclined>()("CardDeclined", {
  message: Schema.String
}) {}

export interface CardProcessor {
  readonly checkout: (
    order: Checkout
  ) => Effect.Effect<{ readonly session: string; readonly url: string }, CardsUnreachable>
  /** Closes a checkout that was not paid; false if it was. */
  readonly expire: (session: string) => Effect.Effect<boolean, CardsUnreachable>
  /** What a change would cost now, with Stripe's own proration; negative for a credit. */
  readonly preview: (subscription: string, plan: Plan) => Effect.Effect<Micros, CardsUnreachable>
  /** Moves a subscription to a plan at once. The difference for the rest of the period is charged or credited. */
  readonly change: (
    subscription: string,
    plan: Plan
  ) => Effect.Effect<SubscriptionStatus, CardDeclined | CardsUnreachable>
  /** Ends a subscription when its period ends, or no longer. */
  readonly cancel: (
    subscription: string,
    atPeriodEnd: boolean
  ) => Effect.Effect<SubscriptionStatus, CardsUnreachable>
  /** The payment of a checkout; undefined if it has none. */
  readonly paymentOf: (session: string) => Effect.Effect<string | undefined, CardsUnreachable>
  /** Refunds an amount of a payment, or what is left of it, once for each reference; returns Stripe's id of the refund. */
  readonly refund: (
    payment: string,
    reference: string,
    amount?: Micros
  ) => Effect.Effect<string, CardsUnreachable>
  /** What moved on the balance at Stripe since a time, oldest first. */
  readonly lines: (since: Date) => Effect.Effect<ReadonlyArray<BalanceLine>, CardsUnreachable>
  /** URL where a customer changes the card or cancels. */
  readonly portal: (customer: string, returnUrl: string) => Effect.Effect<string, CardsUnreachable>
  /** Decodes a webhook's raw body after checking its signature, age and mode. */
  readonly event: (body: Uint8Array, signature: string) => Effect.Effect<CardEvent, EventRefused>
}

/** Null if no Stripe key is configured. */
export const CardProcessor = Context.Reference<CardProcessor | null>("core/credits/card/CardProcessor", {
  defaultValue: () => null
})
