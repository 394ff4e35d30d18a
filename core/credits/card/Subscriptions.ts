/**
 * The subscription of an account. Stripe holds it and computes every proration; its events are what counts here. An answer
 * to a change is shown at once, and the event that follows it says the same.
 */
import { Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rowsOf } from "../../sql/rows.ts"
import type {
  Subscription,
  SubscriptionChange,
  SubscriptionRequest,
  SubscriptionView
} from "../../wire/credits/subscription.ts"
import {
  CardsUnavailable,
  NotSubscribed,
  PaymentDeclined,
  type SubscriptionPending
} from "../../wire/problems/cards.ts"
import type { Account } from "../Accounts.ts"
import { toNumber } from "../Money.ts"
import { tierOf } from "../tiers.ts"
import type { SubscriptionRow } from "../useColumns.ts"
import { CardProcessor, type SubscriptionStatus } from "./CardProcessor.ts"
import { type CardRefusal, Cards, skuUnknown, unavailable } from "./Cards.ts"
import { skuOf, skuOfTier, subscriptionSkus } from "./sku.ts"

const Row = {
  id: Schema.String,
  customer: Schema.NullOr(Schema.String),
  tier: Schema.NullOr(Schema.String),
  state: Schema.Literals(["active", "past_due", "canceling", "ended"]),
  rate: Schema.NullOr(Schema.BigInt),
  period_ends: Schema.NullOr(Schema.Date)
}
const rows = rowsOf(Row)
const paymentRows = rowsOf({ invoice: Schema.String, amount: Schema.BigInt, paid_at: Schema.Date })

type StoredSubscription = Schema.Struct.Type<typeof Row>

export class Subscriptions extends Context.Service<
  Subscriptions,
  {
    readonly of: (account: Account) => Effect.Effect<typeof Subscription.Type, SqlError>
    readonly view: (account: Account) => Effect.Effect<typeof SubscriptionView.Type, SqlError>
    /** Opens a checkout, or moves the live subscription; the same request again changes nothing. */
    readonly subscribe: (
      account: Account,
      request: typeof SubscriptionRequest.Type,
      baseUrl: string,
      idempotencyKey?: string
    ) => Effect.Effect<
      typeof SubscriptionChange.Type,
      CardRefusal | PaymentDeclined | SubscriptionPending | SqlError
    >
    /** Ends the subscription with the period that is paid. */
    readonly cancel: (
      account: Account
    ) => Effect.Effect<typeof Subscription.Type, CardsUnavailable | NotSubscribed | SqlError>
  }
>()("core/credits/card/Subscriptions") {
  static readonly layer = Layer.effect(
    Subscriptions,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const cards = yield* Cards
      const processor = yield* CardProcessor

      /** The live subscription, the highest first; otherwise the newest that ended. */
      const find = Effect.fnUntraced(function* (account: Account) {
        const subscriptions = yield* sql`
          select id, customer, tier, state, rate, period_ends from subscription where account = ${account.id}
          order by (state = 'ended'), (tier is not distinct from ${account.tier}) desc, told_at desc limit 1`.pipe(
          rows
        )
        return subscriptions[0]
      })

      const liveOf = (row: StoredSubscription | undefined) => (row?.state === "ended" ? undefined : row)

      /** Shows what Stripe answered. The time of the newest event stays: the event of this change is still to come. */
      const apply = Effect.fnUntraced(function* ({ id }: StoredSubscription, status: SubscriptionStatus) {
        const { periodEnds, price, rate, sku, state } = status
        yield* sql`
          update subscription set state = ${state}, tier = coalesce(${skuOf(sku ?? "")?.tier ?? null}, tier),
            price = coalesce(${price ?? null}, price), rate = coalesce(${rate ?? null}, rate), period_ends = coalesce(${periodEnds ?? null}, period_ends)
          where id = ${id} and state <> 'ended'`
      })

      const of = (account: Account) =>
        Effect.map(find(account), (row) => subscriptionOf(account, row === undefined ? [] : [row]))

      return Subscriptions.of({
        of,

        view: Effect.fn("Subscriptions.view")(function* (account) {
          const payments = yield* sql`
            select i.invoice, i.amount, i.paid_at from subscription_invoice i join subscription s on s.id = i.subscription
            where s.account = ${account.id} and i.amount is not null order by i.paid_at desc, i.invoice limit 24`.pipe(
            paymentRows
          )
          return {
            ...(yield* of(account)),
            payments: payments.map(({ amount, invoice, paid_at }) => ({
              invoice_id: invoice,
              amount: toNumber(amount),
              paid_at: paid_at.toISOString()
            }))
          }
        }),

        subscribe: Effect.fn("Subscriptions.subscribe")(
          function* (account, request, baseUrl, idempotencyKey) {
            const { preview = false, sku: name } = request
            if (processor === null) return yield* CardsUnavailable.notConfigured()
            const sku = skuOf(name)
            if (sku?.tier === undefined) return yield* skuUnknown(name, subscriptionSkus)
            const newest = yield* find(account)
            const live = liveOf(newest)
            const respond = Effect.fnUntraced(function* (
              rest: Pick<typeof SubscriptionChange.Type, "checkout_url" | "due_now" | "message" | "status">
            ) {
              return {
                ...rest,
                sku: name,
                price_usd: toNumber(sku.amount),
                subscription: yield* of(account)
              }
            })

            if (live === undefined) {
              if (preview) {
                return yield* respond({
                  status: "preview",
                  due_now: toNumber(sku.amount),
                  message: "A checkout would charge the first month. Nothing was done."
                })
              }
              const customer = newest?.customer ?? undefined
              const { url } = yield* cards.subscribe(account, { name, customer }, baseUrl, idempotencyKey)
              return yield* respond({
                status: "checkout",
                checkout_url: url,
                message:
                  "Pay at checkout_url. The tier of this account changes once Stripe reports the payment."
              })
            }

            const plan = { sku: name, amount: sku.amount, title: sku.title }
            if (live.tier === sku.tier) {
              if (live.state !== "canceling" || preview) {
                return yield* respond({
                  status: preview ? "preview" : "unchanged",
                  ...(preview ? { due_now: 0 } : {}),
                  message: "This is the account's subscription already. Nothing was charged."
                })
              }
              yield* apply(live, yield* Effect.mapError(processor.cancel(live.id, false), unavailable))
              return yield* respond({
                status: "resumed",
                message: "The subscription goes on after this period. Nothing was charged."
              })
            }
            if (preview) {
              const due = yield* Effect.mapError(processor.preview(live.id, plan), unavailable)
              return yield* respond({
                status: "preview",
                due_now: toNumber(due),
                message:
                  due < 0n
                    ? "The change would be credited to the next invoices. Nothing was done."
                    : "The change would charge this for the rest of the period. Nothing was done."
              })
            }
            const status = yield* processor.change(live.id, plan).pipe(
              Effect.catchTags({
                CardDeclined: ({ message }) => Effect.fail(new PaymentDeclined({ message })),
                CardsUnreachable: (error) => Effect.fail(unavailable(error))
              })
            )
            yield* apply(live, status)
            return yield* respond({
              status: "changed",
              message:
                "The subscription is changed. Stripe charges or credits the difference for the rest of the period."
            })
          }
        ),

        cancel: Effect.fn("Subscriptions.cancel")(function* (account) {
          if (processor === null) return yield* CardsUnavailable.notConfigured()
          const live = liveOf(yield* find(account))
          if (live === undefined) return yield* NotSubscribed.of()
          if (live.state !== "canceling") {
            yield* apply(live, yield* Effect.mapError(processor.cancel(live.id, true), unavailable))
          }
          return yield* of(account)
        })
      })
    })
  )
}

const next: Readonly<Record<StoredSubscription["state"] | "none", string>> = {
  none: "POST /v1/credits/subscription starts one.",
  active:
    "It renews when the period ends. POST /v1/credits/subscription changes it, POST /v1/credits/subscription/cancel ends it.",
  past_due:
    "The renewal was not paid; Stripe will retry. Change the card at the address that POST /v1/credits/portal returns.",
  canceling: "It ends when the period ends. POST /v1/credits/subscription with the same sku keeps it.",
  ended: "POST /v1/credits/subscription starts a new one."
}

/** The live subscription, that of the account's tier first; otherwise the newest that ended. */
export const subscriptionOf = (
  { tier: highest }: Pick<Account, "tier">,
  all: ReadonlyArray<SubscriptionRow>
): typeof Subscription.Type => {
  const live = all.filter(({ state }) => state !== "ended")
  const subscription = live.find(({ tier }) => tier === highest) ?? live[0] ?? all[0]
  if (subscription === undefined) return { state: "none", next: next.none }
  const { period_ends, state, tier } = subscription
  const sku = tier === null ? undefined : skuOfTier(tier)
  const price = subscription.rate ?? (sku === undefined ? undefined : skuOf(sku)?.amount)
  return {
    state,
    ...(sku === undefined ? {} : { sku }),
    ...(tier === null ? {} : { tier: tierOf(tier) }),
    ...(price === undefined ? {} : { price_usd: toNumber(price) }),
    ...(period_ends === null ? {} : { period_ends: period_ends.toISOString() }),
    next: next[state]
  }
}
