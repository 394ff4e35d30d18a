/** Stripe behind the port of `core/credits/card`. The only file that knows its names. */
import { Clock, Effect, Redacted } from "effect"
import Stripe from "stripe"
import {
  type CardEvent,
  type CardProcessor,
  CardsUnreachable
} from "../../core/credits/card/CardProcessor.ts"
import { EventRefused } from "../../core/wire/problems/cards.ts"
import * as Books from "./stripeBooks.ts"
import * as Subscriptions from "./stripeSubscriptions.ts"
import { ask, centsOf, microsOf } from "./stripeSubscriptions.ts"

/** The version this file was written for; Stripe keeps answering in it. */
const apiVersion = "2026-10-28.endive"

/** Seconds that a webhook's signature may be old or, which Stripe's own helper does not check, ahead. */
const tolerance = 300

export interface Options {
  readonly secretKey: Redacted.Redacted
  /** Two while a secret is being rotated. */
  readonly webhookSecrets: ReadonlyArray<Redacted.Redacted>
  /** Another address than Stripe's own. */
  readonly apiBase?: URL
}

const idOf = (value: string | { readonly id: string } | null | undefined): string | undefined =>
  typeof value === "string" ? value : value?.id

export const make = ({ apiBase, secretKey, webhookSecrets }: Options): CardProcessor => {
  const key = Redacted.value(secretKey)
  const live = /^[a-z]+_live_/.test(key)
  const stripe = new Stripe(key, {
    apiVersion,
    telemetry: false,
    maxNetworkRetries: 1,
    timeout: 20_000,
    ...(apiBase === undefined
      ? {}
      : {
          host: apiBase.hostname,
          port: apiBase.port === "" ? (apiBase.protocol === "http:" ? 80 : 443) : Number(apiBase.port),
          protocol: apiBase.protocol === "http:" ? "http" : "https"
        })
  })

  return {
    ...Subscriptions.make(stripe),
    ...Books.make(stripe),

    checkout: Effect.fn("Stripe.checkout")(function* (order) {
      const metadata = { order: order.order, sku: order.sku }
      const session = yield* ask(() =>
        stripe.checkout.sessions.create(
          {
            mode: order.mode,
            client_reference_id: order.order,
            metadata,
            line_items: [
              {
                quantity: 1,
                price_data: {
                  currency: "usd",
                  unit_amount: centsOf(order.amount),
                  product_data: { name: order.title },
                  // A Price of its own: what a subscriber pays never moves with our list.
                  ...(order.mode === "subscription" ? { recurring: { interval: "month" as const } } : {})
                }
              }
            ],
            ...(order.mode === "subscription"
              ? { subscription_data: { metadata } }
              : { payment_intent_data: { metadata } }),
            ...(order.customer !== undefined
              ? { customer: order.customer }
              : order.email === undefined
                ? {}
                : { customer_email: order.email }),
            success_url: order.successUrl,
            cancel_url: order.cancelUrl
          },
          { idempotencyKey: order.order }
        )
      )
      if (session.url === null) {
        return yield* new CardsUnreachable({
          message: "Stripe gave no address to pay at. Nothing was charged."
        })
      }
      return { session: session.id, url: session.url }
    }),

    portal: (customer, returnUrl) =>
      ask(() => stripe.billingPortal.sessions.create({ customer, return_url: returnUrl })).pipe(
        Effect.map(({ url }) => url)
      ),

    event: Effect.fn("Stripe.event")(function* (body, signature) {
      const now = yield* Clock.currentTimeMillis
      const stamped = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1] ?? Number.NaN)
      if (!(stamped <= now / 1000 + tolerance)) {
        return yield* new EventRefused({ message: "Stripe-Signature: no time, or one that lies ahead" })
      }
      const tried = yield* Effect.forEach(webhookSecrets, (secret) =>
        Effect.option(
          Effect.tryPromise(() =>
            stripe.webhooks.constructEventAsync(
              Buffer.from(body),
              signature,
              Redacted.value(secret),
              tolerance,
              undefined,
              now
            )
          )
        )
      )
      const verified = tried.find(({ _tag }) => _tag === "Some")
      if (verified?._tag !== "Some") {
        return yield* new EventRefused({ message: "Stripe-Signature does not hold for this body and time" })
      }
      const event = verified.value
      if (event.livemode !== live) {
        return yield* new EventRefused({
          message: `an event with livemode ${event.livemode} is not for this service`
        })
      }
      return { ...eventBody(event), id: event.id, type: event.type, at: new Date(event.created * 1000) }
    })
  }
}

type CardEventBody = CardEvent extends infer E
  ? E extends CardEvent
    ? Omit<E, "id" | "type" | "at">
    : never
  : never

const eventBody = (event: Stripe.Event): CardEventBody => {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
    case "checkout.session.async_payment_failed":
    case "checkout.session.expired": {
      const session = event.data.object
      return {
        kind: "session",
        session: session.id,
        order: session.client_reference_id ?? session.metadata?.["order"],
        outcome:
          event.type === "checkout.session.expired" || event.type === "checkout.session.async_payment_failed"
            ? "closed"
            : session.payment_status === "paid"
              ? "paid"
              : "waiting",
        mode: session.mode,
        amount:
          session.currency === "usd" && typeof session.amount_total === "number"
            ? microsOf(session.amount_total)
            : undefined,
        payment: idOf(session.payment_intent),
        subscription: idOf(session.subscription),
        customer: idOf(session.customer)
      }
    }
    case "charge.refunded": {
      const charge = event.data.object
      return {
        kind: "refunds",
        payment: idOf(charge.payment_intent) ?? charge.id,
        total: microsOf(charge.amount_refunded)
      }
    }
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.refund.updated": {
      const refund = event.data.object
      return {
        kind: "refund",
        refund: refund.id,
        payment: idOf(refund.payment_intent) ?? idOf(refund.charge) ?? refund.id,
        amount: microsOf(refund.amount),
        failed: event.type === "refund.failed" || refund.status === "failed" || refund.status === "canceled"
      }
    }
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated":
    case "charge.dispute.closed": {
      const dispute = event.data.object
      if (dispute.status.startsWith("warning_")) return { kind: "other" }
      return {
        kind: "dispute",
        payment: idOf(dispute.payment_intent) ?? idOf(dispute.charge) ?? dispute.id,
        amount: microsOf(dispute.amount),
        // An inquiry took no money. If it becomes a dispute, that is told as one.
        state:
          dispute.status === "won" || dispute.status === "prevented"
            ? "won"
            : dispute.status === "lost"
              ? "lost"
              : "open"
      }
    }
    case "customer.subscription.created":
    case "customer.subscription.updated":
    case "customer.subscription.deleted":
    case "customer.subscription.paused":
    case "customer.subscription.resumed":
      return subscriptionOf(event.data.object)
    case "invoice.paid":
    case "invoice.payment_failed": {
      const { amount_paid, currency, id, parent } = event.data.object
      const subscription = idOf(parent?.subscription_details?.subscription)
      return subscription === undefined
        ? { kind: "other" }
        : {
            kind: "invoice",
            invoice: id,
            subscription,
            paid: event.type === "invoice.paid",
            amount: currency === "usd" ? microsOf(amount_paid) : undefined
          }
    }
    case "invoice_payment.paid": {
      const { invoice, payment } = event.data.object
      const of = idOf(invoice)
      const paid = idOf(payment.payment_intent) ?? idOf(payment.charge)
      return of === undefined || paid === undefined
        ? { kind: "other" }
        : { kind: "invoice_payment", invoice: of, payment: paid }
    }
    default:
      return { kind: "other" }
  }
}

const subscriptionOf = (subscription: Stripe.Subscription): CardEventBody => {
  const status = Subscriptions.statusOf(subscription)
  return status === undefined
    ? { kind: "other" }
    : {
        kind: "subscription",
        subscription: subscription.id,
        order: subscription.metadata?.["order"],
        customer: idOf(subscription.customer),
        ...status
      }
}
