/**
 * Handles Stripe events, which may arrive in any order and more than once. Each event is one transaction that begins by
 * inserting its id. Credits belong to the payment, not to the event: a total is stored per payment and postings are
 * brought up to it, so partial refunds, repeats and late events all end at the same balance.
 */
import { BigInt as BigInts, Clock, Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Fragment } from "effect/sql/Statement"
import { providing } from "../../process/providing.ts"
import { rowsOf } from "../../sql/rows.ts"
import { CardsUnavailable, type EventRefused } from "../../wire/problems/cards.ts"
import { Accounts } from "../Accounts.ts"
import { bookHeld } from "../books/suspense.ts"
import { KeyMode } from "../keys/KeyMode.ts"
import { Ledger } from "../Ledger.ts"
import { format } from "../Money.ts"
import { Secret } from "../Secret.ts"
import { type CardEvent, CardProcessor } from "./CardProcessor.ts"
import { sessionKey } from "./Cards.ts"
import { skuOf } from "./sku.ts"

const paymentRows = rowsOf({
  account: Schema.NullOr(Schema.String),
  amount: Schema.BigInt,
  refunded: Schema.BigInt,
  disputed: Schema.BigInt,
  reversed: Schema.BigInt,
  moves: Schema.Finite
})
const invoiceRows = rowsOf({
  invoice: Schema.String,
  amount: Schema.BigInt,
  payment: Schema.NullOr(Schema.String)
})
const refundRows = rowsOf({ holding: Schema.BigInt, failed: Schema.BigInt })

type Of<Kind extends CardEvent["kind"]> = Extract<CardEvent, { kind: Kind }>

const Order = Schema.Struct({
  id: Schema.String,
  kind: Schema.Literals(["topup", "one_shot", "subscription"]),
  sku: Schema.String,
  amount: Schema.BigInt,
  account: Schema.NullOr(Schema.String),
  state: Schema.String
})
interface OrderRow extends Schema.Schema.Type<typeof Order> {}
const orderRows = rowsOf(Order.fields)

export class CardEvents extends Context.Service<
  CardEvents,
  {
    /** Handles the raw body of a webhook and its `Stripe-Signature`. */
    readonly take: (
      body: Uint8Array,
      signature: string
    ) => Effect.Effect<void, CardsUnavailable | EventRefused | SqlError>
  }
>()("core/credits/card/CardEvents") {
  static readonly layer = Layer.effect(
    CardEvents,
    Effect.gen(function* () {
      const provided = yield* providing(SqlClient.SqlClient, Accounts, CardProcessor, KeyMode, Ledger, Secret)
      return CardEvents.of({ take: provided(take) })
    })
  )
}

type Services = SqlClient.SqlClient | Accounts | Ledger | Secret

const take = Effect.fn("CardEvents.take")(function* (body: Uint8Array, signature: string) {
  const sql = yield* SqlClient.SqlClient
  const processor = yield* CardProcessor
  if (processor === null) return yield* CardsUnavailable.notConfigured()
  const event = yield* processor.event(body, signature)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      const fresh = yield* sql`
        insert into stripe_event (id, type, created_at, received_at)
        values (${event.id}, ${event.type}, ${event.at}, ${new Date(yield* Clock.currentTimeMillis)})
        on conflict (id) do nothing returning id`
      if (fresh.length > 0) yield* apply(event)
    })
  )
})

const apply = (event: CardEvent): Effect.Effect<void, SqlError, Services> => {
  switch (event.kind) {
    case "session":
      return Effect.asVoid(onSession(event))
    case "refunds":
      return onRefunds(event)
    case "refund":
      return onRefund(event)
    case "dispute":
      return onDispute(event)
    case "subscription":
      return onSubscription(event)
    case "invoice":
      return onInvoice(event)
    case "invoice_payment":
      return onInvoicePayment(event)
    case "other":
      return Effect.void
  }
}

const onSession = Effect.fnUntraced(function* (event: Of<"session">) {
  const sql = yield* SqlClient.SqlClient
  if (event.order === undefined) return
  const [order] = yield* sql`
    select id, kind, sku, amount, account, state from card_order where id = ${event.order} for update`.pipe(
    orderRows
  )
  // Ignores sessions without an order of ours and orders already credited.
  if (order === undefined || order.state === "paid") return
  const settled = yield* sql`select 1 as one from operator_settlement where subject = ${order.id}`
  if (settled.length > 0) return
  if (event.outcome === "paid") yield* onPaid(event, order)
  else if (event.outcome === "closed" && order.state === "open") {
    yield* sql`update card_order set state = 'closed', note = ${event.type} where id = ${order.id}`
  }
})

const onPaid = Effect.fnUntraced(function* (event: Of<"session">, order: OrderRow) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  if (event.amount !== order.amount) {
    const amount = event.amount === undefined ? "another currency" : `${format(event.amount)} USD`
    yield* holdOrder(order.id, event, `${amount} paid, ${format(order.amount)} USD ordered`)
    return
  }
  const mode = order.kind === "subscription" ? "subscription" : "payment"
  if (event.mode !== mode || (mode === "subscription" && event.subscription === undefined)) {
    yield* holdOrder(order.id, event, `a session of mode ${event.mode} for a ${order.kind}`)
    return
  }
  const account = yield* accountOf(order, event.session)
  yield* sql`
    update card_order set state = 'paid', session = ${event.session},
      paid_at = ${new Date(yield* Clock.currentTimeMillis)}
    where id = ${order.id}`
  if (event.subscription !== undefined) {
    yield* sql`
      insert into subscription (id, card_order, account, customer, tier, rate, state, told_at)
      values (${event.subscription}, ${order.id}, ${account}, ${event.customer ?? null},
        ${skuOf(order.sku)?.tier ?? null}, ${order.amount}, 'active', ${new Date(0)})
      on conflict (id) do update set card_order = excluded.card_order, account = excluded.account,
        tier = coalesce(subscription.tier, excluded.tier), rate = coalesce(subscription.rate, excluded.rate),
        customer = coalesce(subscription.customer, excluded.customer)`
    yield* bookInvoices(sql`i.subscription = ${event.subscription}`)
    return
  }
  const payment = event.payment ?? event.session
  yield* addPayment(payment)
  yield* sql`
    update card_payment set card_order = ${order.id}, account = ${account}, amount = ${order.amount}
    where payment = ${payment}`
  yield* ledger.credit(account, order.amount, "card", {
    cause: "card_payment",
    reference: order.id,
    key: `card_payment:${payment}`
  })
  yield* reconcile(payment, "card_refund")
})

/** What arrived for it is in suspense until an operator settles it (`plumbline money held`). */
const holdOrder = Effect.fnUntraced(function* (order: string, event: Of<"session">, note: string) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  yield* Effect.logError("a card payment is held: it does not match its order", { order, note })
  yield* sql`
    update card_order set state = 'held', note = ${note}, payment = ${event.payment ?? null},
      received = ${event.amount ?? null} where id = ${order}`
  if (event.amount !== undefined && event.amount > 0n) yield* bookHeld(ledger, order, event.amount)
})

/** Creates the account of an order without one. Its key is derived from the session. */
const accountOf = Effect.fnUntraced(function* (order: OrderRow, session: string) {
  const sql = yield* SqlClient.SqlClient
  const accounts = yield* Accounts
  const secret = yield* Secret
  if (order.account !== null) return order.account
  const account = yield* accounts.open(sessionKey(secret, yield* KeyMode, session), "")
  yield* sql`update card_order set account = ${account} where id = ${order.id}`
  return account
})

const onRefunds = Effect.fnUntraced(function* ({ payment, total }: Of<"refunds">) {
  const sql = yield* SqlClient.SqlClient
  yield* addPayment(payment)
  // The total falls only when a refund fails, which has its own event. The largest total is therefore everything ever tried.
  yield* sql`
    update card_payment set refunded = greatest(refunded, ${total}) where payment = ${payment}`
  yield* reconcile(payment, "card_refund")
})

const onRefund = Effect.fnUntraced(function* ({ amount, failed, payment, refund }: Of<"refund">) {
  const sql = yield* SqlClient.SqlClient
  yield* addPayment(payment)
  yield* sql`
    insert into card_refund (id, payment, amount, failed) values (${refund}, ${payment}, ${amount}, ${failed})
    on conflict (id) do update set failed = card_refund.failed or excluded.failed`
  yield* reconcile(payment, "card_refund")
})

const onDispute = Effect.fnUntraced(function* ({ amount, payment, state }: Of<"dispute">) {
  const sql = yield* SqlClient.SqlClient
  yield* addPayment(payment)
  yield* sql`
    update card_payment set disputed = ${state === "won" ? 0n : amount}, dispute_closed = ${state !== "open"}
    where payment = ${payment} and (not dispute_closed or ${state !== "open"})`
  yield* reconcile(payment, "card_dispute")
})

/** The newest event wins; of two in the same second, the end of the subscription does. */
const onSubscription = Effect.fnUntraced(function* (event: Of<"subscription">) {
  const sql = yield* SqlClient.SqlClient
  const [order] =
    event.order === undefined
      ? []
      : yield* sql`
          select id, kind, sku, amount, account, state from card_order
          where id = ${event.order} and kind = 'subscription'`.pipe(orderRows)
  yield* sql`
    insert into subscription (id, card_order, account, customer, tier, price, rate, state, period_ends, told_at)
    values (${event.subscription}, ${order?.id ?? null}, ${order?.account ?? null}, ${event.customer ?? null},
      ${skuOf(event.sku ?? order?.sku ?? "")?.tier ?? null}, ${event.price ?? null}, ${event.rate ?? null}, ${event.state},
      ${event.periodEnds ?? null}, ${event.at})
    on conflict (id) do update set state = excluded.state, told_at = excluded.told_at,
      tier = coalesce(excluded.tier, subscription.tier),
      price = coalesce(excluded.price, subscription.price),
      rate = coalesce(excluded.rate, subscription.rate),
      customer = coalesce(excluded.customer, subscription.customer),
      period_ends = coalesce(excluded.period_ends, subscription.period_ends)
    where excluded.told_at > subscription.told_at or
      (excluded.told_at = subscription.told_at and subscription.state <> 'ended')`
  yield* bookInvoices(sql`i.subscription = ${event.subscription}`)
})

/** Stripe retries failed renewals; the tier stays until Stripe ends the subscription. */
const onInvoice = Effect.fnUntraced(function* (event: Of<"invoice">) {
  const sql = yield* SqlClient.SqlClient
  const { amount, at, invoice, paid, subscription } = event
  if (!paid) {
    yield* sql`update subscription set state = 'past_due', told_at = ${at}
      where id = ${subscription} and state in ('active', 'canceling') and told_at <= ${at}`
    return
  }
  yield* sql`update subscription set state = 'active', told_at = ${at}
    where id = ${subscription} and state = 'past_due' and told_at <= ${at}`
  yield* sql`
    insert into subscription_invoice (invoice, subscription, amount, paid_at)
    values (${invoice}, ${subscription}, ${amount ?? null}, ${at})
    on conflict (invoice) do update set subscription = excluded.subscription, amount = excluded.amount`
  yield* bookInvoices(sql`i.invoice = ${invoice}`)
})

const onInvoicePayment = Effect.fnUntraced(function* ({ at, invoice, payment }: Of<"invoice_payment">) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into subscription_invoice (invoice, payment, paid_at) values (${invoice}, ${payment}, ${at})
    on conflict (invoice) do update set payment = excluded.payment`
  yield* bookInvoices(sql`i.invoice = ${invoice}`)
})

/**
 * Books what was paid for a subscription of ours, once, and notes which payment that was, so that its refund is told
 * from the refund of credits.
 */
const bookInvoices = Effect.fnUntraced(function* (which: Fragment) {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  const invoices = yield* sql`
    select i.invoice, i.amount, i.payment from subscription_invoice i join subscription s on s.id = i.subscription
    where ${which} and s.card_order is not null and i.amount > 0`.pipe(invoiceRows)
  for (const { amount, invoice, payment } of invoices) {
    yield* ledger.between("card", "sales", amount, {
      cause: "subscription_payment",
      reference: invoice,
      key: `subscription_payment:${invoice}`
    })
    if (payment === null) continue
    yield* addPayment(payment)
    yield* sql`update card_payment set amount = ${amount} where payment = ${payment} and amount = 0`
    yield* reconcile(payment, "card_refund")
  }
})

const addPayment = Effect.fnUntraced(function* (payment: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into card_payment (payment) values (${payment}) on conflict (payment) do nothing`
})

/** Brings the clawback of a payment to the total that Stripe reports, under the payment's lock. */
const reconcile = Effect.fnUntraced(function* (payment: string, cause: "card_refund" | "card_dispute") {
  const sql = yield* SqlClient.SqlClient
  const ledger = yield* Ledger
  const [row] = yield* sql`
    select account, amount, refunded, disputed, reversed, moves from card_payment
    where payment = ${payment} for update`.pipe(paymentRows)
  // An event about an unknown payment waits in its row until we are told what was paid.
  if (row === undefined || row.amount === 0n) return
  // Read after the lock, to see the changes of its last holder. Stripe reports a refund twice: alone and in the payment's total.
  const [refunds] = yield* sql`
    select coalesce(sum(amount) filter (where not failed), 0)::bigint as holding,
      coalesce(sum(amount) filter (where failed), 0)::bigint as failed
    from card_refund where payment = ${payment}`.pipe(refundRows)
  const refunded = BigInts.max(row.refunded - (refunds?.failed ?? 0n), refunds?.holding ?? 0n)
  const target = BigInts.min(row.amount, refunded + row.disputed)
  const change = target - row.reversed
  if (change === 0n) return
  const draft = { reference: payment, key: `card_reversal:${payment}:${row.moves + 1}` }
  const undone = cause === "card_refund" ? "card_refund_failed" : "card_dispute_won"
  // A payment of a subscription bought no credits, so none are taken back.
  if (row.account === null) {
    if (change > 0n) yield* ledger.between("sales", "card", change, { ...draft, cause })
    else yield* ledger.between("card", "sales", -change, { ...draft, cause: undone })
  } else if (change > 0n) yield* ledger.clawback(row.account, change, "card", { ...draft, cause })
  else yield* ledger.credit(row.account, -change, "card", { ...draft, cause: undone })
  yield* sql`
    update card_payment set reversed = ${target}, moves = moves + 1 where payment = ${payment}`
})
