/** Changing and cancelling subscriptions at Stripe, which computes every proration itself. */
import { Effect } from "effect"
import Stripe from "stripe"
import {
  CardDeclined,
  type CardProcessor,
  CardsUnreachable,
  type Plan,
  type SubscriptionStatus
} from "../../core/credits/card/CardProcessor.ts"
import type { Micros } from "../../core/credits/Money.ts"

export const centsOf = (micros: Micros): number => Number(micros / 10_000n)
export const microsOf = (cents: number): Micros => BigInt(cents) * 10_000n

const unreachable = () =>
  new CardsUnreachable({ message: "Stripe did not answer as it should. Nothing was charged." })

/** Calls Stripe. What it said may quote the request: it is for the log, not for the caller. */
export const ask = <A>(run: () => Promise<A>): Effect.Effect<A, CardsUnreachable> =>
  Effect.tryPromise({ try: run, catch: unreachable })

/** Undefined for a subscription that has not begun. */
export const statusOf = (subscription: Stripe.Subscription): SubscriptionStatus | undefined => {
  const item = subscription.items?.data[0]
  const state = stateOf(subscription)
  return state === undefined
    ? undefined
    : {
        sku: subscription.metadata?.["sku"],
        price: item?.price.id,
        rate: rateOf(item?.price),
        state,
        periodEnds: item === undefined ? undefined : new Date(item.current_period_end * 1000)
      }
}

/** An amount with fractions of a cent is none that we ask for. */
const rateOf = (price: Stripe.Price | undefined): Micros | undefined =>
  price?.currency === "usd" && price.unit_amount !== null ? microsOf(price.unit_amount) : undefined

const stateOf = (subscription: Stripe.Subscription): SubscriptionStatus["state"] | undefined => {
  switch (subscription.status) {
    case "active":
    case "trialing":
      return subscription.cancel_at_period_end || (subscription.cancel_at ?? null) !== null
        ? "canceling"
        : "active"
    case "past_due":
      return "past_due"
    case "canceled":
    case "unpaid":
    case "incomplete_expired":
    case "paused":
      return "ended"
    // Not paid yet: nothing has begun.
    case "incomplete":
      return undefined
    default:
      return undefined
  }
}

export const make = (stripe: Stripe): Pick<CardProcessor, "cancel" | "change" | "expire" | "preview"> => {
  /** A Price of ours with this amount: made once, and found again by its key. */
  const priceOf = Effect.fnUntraced(function* ({ amount, sku, title }: Plan) {
    const lookup_key = `plumbline_${sku}_${centsOf(amount)}`
    const prices = yield* ask(() => stripe.prices.list({ lookup_keys: [lookup_key], limit: 1 }))
    const [existing] = prices.data
    if (existing !== undefined) return existing.id
    const created = yield* ask(() =>
      stripe.prices.create(
        {
          currency: "usd",
          unit_amount: centsOf(amount),
          recurring: { interval: "month" },
          lookup_key,
          product_data: { name: title }
        },
        { idempotencyKey: lookup_key }
      )
    )
    return created.id
  })

  /** The item of the subscription, with the price of the plan. */
  const itemsOf = Effect.fnUntraced(function* (subscription: string, plan: Plan) {
    const price = yield* priceOf(plan)
    const { customer, items } = yield* ask(() => stripe.subscriptions.retrieve(subscription))
    return {
      customer: typeof customer === "string" ? customer : customer.id,
      items: items.data.slice(0, 1).map(({ id }) => ({ id, price }))
    }
  })

  const begun = (subscription: Stripe.Subscription): SubscriptionStatus =>
    statusOf(subscription) ?? {
      sku: undefined,
      price: undefined,
      rate: undefined,
      state: "active",
      periodEnds: undefined
    }

  return {
    expire: Effect.fn("Stripe.expire")(function* (session) {
      const { status } = yield* ask(() => stripe.checkout.sessions.retrieve(session))
      if (status !== "open") return status === "expired"
      yield* ask(() => stripe.checkout.sessions.expire(session))
      return true
    }),

    preview: Effect.fn("Stripe.preview")(function* (subscription, plan) {
      const { customer, items } = yield* itemsOf(subscription, plan)
      const invoice = yield* ask(() =>
        stripe.invoices.createPreview({
          customer,
          subscription,
          subscription_details: { items, proration_behavior: "always_invoice" }
        })
      )
      return microsOf(invoice.total)
    }),

    change: Effect.fn("Stripe.change")(function* (subscription, plan) {
      const { items } = yield* itemsOf(subscription, plan)
      const updated = yield* Effect.tryPromise({
        try: () =>
          stripe.subscriptions.update(subscription, {
            items,
            metadata: { sku: plan.sku },
            cancel_at_period_end: false,
            proration_behavior: "always_invoice",
            // If the card does not pay the difference, nothing changes.
            payment_behavior: "error_if_incomplete"
          }),
        catch: (error) =>
          error instanceof Stripe.errors.StripeError && error.statusCode === 402
            ? new CardDeclined({
                message: "The card did not pay the difference, so the subscription was not changed."
              })
            : unreachable()
      })
      return begun(updated)
    }),

    cancel: Effect.fn("Stripe.cancel")(function* (subscription, atPeriodEnd) {
      const updated = yield* ask(() =>
        stripe.subscriptions.update(subscription, { cancel_at_period_end: atPeriodEnd })
      )
      return begun(updated)
    })
  }
}
