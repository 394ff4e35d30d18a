/** What an operator needs of Stripe: refunds, and the lines of the balance. */
import { Effect } from "effect"
import Stripe from "stripe"
import type { BalanceLine, CardProcessor } from "../../core/credits/card/CardProcessor.ts"
import { ask, microsOf } from "./stripeSubscriptions.ts"

const idOf = (value: string | { readonly id: string } | null | undefined): string | undefined =>
  typeof value === "string" ? value : value?.id

const microsPerCent = 10_000n

const isRefunded = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError && error.code === "charge_already_refunded"

/** The payment behind a line's source: a charge, a refund or a dispute. */
const paymentOf = (source: Stripe.BalanceTransaction["source"]): string | undefined => {
  if (source === null || typeof source === "string") return undefined
  switch (source.object) {
    case "charge":
      return idOf(source.payment_intent) ?? source.id
    case "refund":
    case "dispute":
      return idOf(source.payment_intent) ?? idOf(source.charge)
    default:
      return undefined
  }
}

const lineOf = ({
  amount,
  created,
  currency,
  fee,
  id,
  source,
  type
}: Stripe.BalanceTransaction): BalanceLine => ({
  id,
  at: new Date(created * 1000),
  type,
  payment: paymentOf(source),
  amount: currency === "usd" ? microsOf(amount) : undefined,
  fee: microsOf(fee)
})

export const make = (stripe: Stripe): Pick<CardProcessor, "lines" | "paymentOf" | "refund"> => ({
  paymentOf: (session) =>
    ask(() => stripe.checkout.sessions.retrieve(session)).pipe(
      Effect.map(({ payment_intent }) => idOf(payment_intent))
    ),

  refund: Effect.fn("Stripe.refund")(function* (payment, reference, amount) {
    // Stripe forgets idempotency keys after a day, but not which refunds a payment has.
    const { data } = yield* ask(() => stripe.refunds.list({ payment_intent: payment, limit: 100 }))
    const done = data.find(
      ({ metadata, status }) =>
        metadata?.["reference"] === reference && status !== "failed" && status !== "canceled"
    )
    if (done !== undefined) return done.id
    const refund = yield* ask(() =>
      stripe.refunds
        .create(
          {
            payment_intent: payment,
            metadata: { reference },
            ...(amount === undefined ? {} : { amount: Number(amount / microsPerCent) })
          },
          { idempotencyKey: `refund:${reference}:${data.length}` }
        )
        // Somebody refunded it in Stripe's dashboard.
        .catch((error) =>
          amount === undefined && isRefunded(error) && data[0] !== undefined ? data[0] : Promise.reject(error)
        )
    )
    return refund.id
  }),

  lines: (since) =>
    ask(async () => {
      const lines: Array<BalanceLine> = []
      const pages = stripe.balanceTransactions.list({
        created: { gte: Math.floor(since.getTime() / 1000) },
        expand: ["data.source"],
        limit: 100
      })
      for await (const each of pages) lines.push(lineOf(each))
      return lines.reverse()
    })
})
