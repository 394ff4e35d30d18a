/**
 * Stripe's HTTP interface as far as we use it: a small state machine over real loopback HTTP, spoken to by the real SDK.
 * What happens there gives events, signed by Stripe's own helper; a test delivers them when and as often as it likes.
 */
import { createServer, type Server } from "node:http"
import { Effect, Redacted } from "effect"
import Stripe from "stripe"
import * as Adapter from "../../runtime/outside/stripe.ts"

export const webhookSecret = "whsec_of_a_test"

interface Session {
  readonly id: string
  mode: string
  amount_total: number
  currency: string
  readonly client_reference_id: string
  readonly metadata: Record<string, string>
  readonly url: string
  status: "open" | "complete" | "expired"
  payment_status: "unpaid" | "paid"
  payment_intent: string | null
  subscription: string | null
  customer: string | null
}

export interface Subscription {
  readonly id: string
  readonly customer: string
  metadata: Record<string, string>
  unit_amount: number
  price: string
  status: string
  cancel_at_period_end: boolean
}

export interface Signed {
  readonly body: string
  readonly signature: string
}

export class StripeStub {
  readonly sessions = new Map<string, Session>()
  readonly subscriptions = new Map<string, Subscription>()
  readonly requests: Array<{
    readonly path: string
    readonly key: string | undefined
    readonly form: URLSearchParams
  }> = []
  /** Answers the next request with 500 after it has done what was asked: a connection that broke on the way back. */
  breakNext = false
  /** Epoch seconds of what happens now. */
  now = 0
  /** The lines of the balance, newest first. */
  readonly balance: Array<{
    readonly id: string
    readonly object: "balance_transaction"
    readonly type: string
    readonly amount: number
    readonly fee: number
    readonly currency: string
    readonly created: number
    readonly source: { readonly id: string; readonly object: string; readonly payment_intent: string } | null
  }> = []
  readonly refunds: Array<{
    readonly id: string
    readonly payment_intent: string
    readonly amount: number
    readonly metadata: { readonly reference: string }
  }> = []
  /** How much of every paid period is over. */
  elapsed = 0
  /** True while no card pays. */
  declines = false
  /** What the last change of a subscription charged, in cents. */
  charged = 0
  private readonly prices = new Map<
    string,
    { readonly id: string; readonly lookup_key: string; readonly unit_amount: number }
  >()
  private readonly byKey = new Map<string, { readonly form: string; readonly answer: string }>()
  private count = 0
  private readonly server: Server
  private readonly sdk = new Stripe("sk_test_stub")

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const form = Buffer.concat(chunks).toString("utf8")
        const key = request.headers["idempotency-key"]
        const { body, status } = this.answer(
          `${request.method} ${request.url}`,
          new URLSearchParams(form),
          typeof key === "string" ? key : undefined,
          request.headers.authorization
        )
        const broken = this.breakNext
        this.breakNext = false
        response.writeHead(broken ? 500 : status, { "content-type": "application/json" })
        response.end(broken ? '{"error":{"message":"broken"}}' : body)
      })
    })
  }

  listen(): Promise<number> {
    return new Promise((resolve) => {
      this.server.listen(0, "127.0.0.1", () => {
        const address = this.server.address()
        resolve(typeof address === "object" && address !== null ? address.port : 0)
      })
    })
  }

  close(): void {
    this.server.closeAllConnections()
    this.server.close()
  }

  private id(prefix: string): string {
    return `${prefix}_${String(++this.count).padStart(6, "0")}`
  }

  private answer(call: string, form: URLSearchParams, key: string | undefined, auth: string | undefined) {
    const error = (status: number, message: string) => ({
      status,
      body: JSON.stringify({ error: { message } })
    })
    if (auth !== "Bearer sk_test_stub") return error(401, "no such key")
    this.requests.push({ path: call, key, form })
    if (call === "POST /v1/checkout/sessions") {
      const before = key === undefined ? undefined : this.byKey.get(key)
      if (before !== undefined) {
        return before.form === form.toString()
          ? { status: 200, body: before.answer }
          : error(400, "the key was used with other parameters")
      }
      const id = this.id("cs_test")
      const session: Session = {
        id,
        mode: form.get("mode") ?? "",
        amount_total: Number(form.get("line_items[0][price_data][unit_amount]")),
        currency: form.get("line_items[0][price_data][currency]") ?? "",
        client_reference_id: form.get("client_reference_id") ?? "",
        metadata: { order: form.get("metadata[order]") ?? "", sku: form.get("metadata[sku]") ?? "" },
        url: `https://checkout.stripe.test/${id}`,
        status: "open",
        payment_status: "unpaid",
        payment_intent: null,
        subscription: null,
        customer: form.get("customer")
      }
      this.sessions.set(id, session)
      const answer = JSON.stringify({ object: "checkout.session", livemode: false, ...session })
      if (key !== undefined) this.byKey.set(key, { form: form.toString(), answer })
      return { status: 200, body: answer }
    }
    if (call === "POST /v1/billing_portal/sessions") {
      return {
        status: 200,
        body: JSON.stringify({ url: `https://billing.stripe.test/${form.get("customer")}` })
      }
    }
    return (
      this.ofSession(call) ??
      this.ofSubscription(call, form) ??
      this.ofBalance(call, form, key) ??
      error(404, "no such path")
    )
  }

  /** Adds a line to the balance, as every movement does. */
  move(type: string, payment: string | null, amount: number, source: string, currency = "usd"): void {
    const fee = type === "charge" ? Math.round(amount * 0.029) + 30 : 0
    this.balance.unshift({
      id: this.id("txn"),
      object: "balance_transaction",
      type,
      amount,
      fee,
      currency,
      created: this.now,
      source:
        payment === null ? null : { id: `${source}_of_${payment}`, object: source, payment_intent: payment }
    })
  }

  private ofBalance(call: string, form: URLSearchParams, key = "") {
    const ok = (body: object) => ({ status: 200, body: JSON.stringify(body) })
    if (call.startsWith("GET /v1/balance_transactions?")) {
      const query = new URLSearchParams(call.slice(call.indexOf("?")))
      const since = Number(query.get("created[gte]"))
      const after = query.get("starting_after")
      const transactions = this.balance.filter(({ created }) => created >= since)
      const from = after === null ? 0 : transactions.findIndex(({ id }) => id === after) + 1
      const data = transactions.slice(from, from + 3)
      return ok({
        object: "list",
        url: "/v1/balance_transactions",
        has_more: from + 3 < transactions.length,
        data
      })
    }
    if (call.startsWith("GET /v1/refunds?")) {
      const payment = new URLSearchParams(call.slice(call.indexOf("?"))).get("payment_intent")
      return ok({
        object: "list",
        has_more: false,
        data: this.refunds.filter((each) => each.payment_intent === payment)
      })
    }
    if (call !== "POST /v1/refunds") return undefined
    const before = this.byKey.get(key)
    if (before !== undefined) return { status: 200, body: before.answer }
    const back = this.refunds
      .filter(({ payment_intent }) => payment_intent === form.get("payment_intent"))
      .reduce((sum, { amount }) => sum + amount, 0)
    const whole = this.balance.find(
      ({ source, type }) => type === "charge" && source?.payment_intent === form.get("payment_intent")
    )
    if (back > 0 && back >= (whole?.amount ?? 0)) {
      return {
        status: 400,
        body: JSON.stringify({ error: { code: "charge_already_refunded", message: "already refunded" } })
      }
    }
    const payment = form.get("payment_intent") ?? ""
    const paid = this.balance.find(
      ({ source, type }) => type === "charge" && source?.payment_intent === payment
    )
    if (paid === undefined) return undefined
    const refund = {
      id: this.id("re"),
      object: "refund",
      payment_intent: payment,
      amount: Number(form.get("amount") ?? paid.amount - back),
      status: "succeeded",
      metadata: { reference: form.get("metadata[reference]") ?? "" }
    }
    this.refunds.push(refund)
    this.byKey.set(key, { form: form.toString(), answer: JSON.stringify(refund) })
    this.move("refund", payment, -refund.amount, "refund", paid.currency)
    return ok(refund)
  }

  private ofSession(call: string) {
    const [, verb, id = "", action] =
      /^(GET|POST) \/v1\/checkout\/sessions\/(\w+)(\/expire)?$/.exec(call) ?? []
    const session = this.sessions.get(id)
    if (session === undefined) return undefined
    if (verb === "POST" && action !== undefined) session.status = "expired"
    return { status: 200, body: JSON.stringify({ object: "checkout.session", ...session }) }
  }

  /** The proration of a change to a price, in cents: the difference for the rest of the period. */
  private proration(subscription: Subscription, price: string): number {
    const amount = this.prices.get(price)?.unit_amount ?? Number.NaN
    return Math.round((amount - subscription.unit_amount) * (1 - this.elapsed))
  }

  private ofSubscription(call: string, form: URLSearchParams) {
    const ok = (body: object) => ({ status: 200, body: JSON.stringify(body) })
    if (call.startsWith("GET /v1/prices?")) {
      const key = new URLSearchParams(call.slice(call.indexOf("?"))).get("lookup_keys[0]")
      return ok({
        object: "list",
        has_more: false,
        data: [...this.prices.values()].filter(({ lookup_key }) => lookup_key === key)
      })
    }
    if (call === "POST /v1/prices") {
      const price = {
        id: this.id("price"),
        lookup_key: form.get("lookup_key") ?? "",
        unit_amount: Number(form.get("unit_amount"))
      }
      this.prices.set(price.id, price)
      return ok(price)
    }
    if (call === "POST /v1/invoices/create_preview") {
      const subscription = this.subscriptions.get(form.get("subscription") ?? "")
      const price = form.get("subscription_details[items][0][price]") ?? ""
      return subscription === undefined ? undefined : ok({ total: this.proration(subscription, price) })
    }
    const [, verb, id = ""] = /^(GET|POST) \/v1\/subscriptions\/(\w+)$/.exec(call) ?? []
    const subscription = this.subscriptions.get(id)
    if (subscription === undefined) return undefined
    if (verb === "POST") {
      const price = form.get("items[0][price]")
      if (price !== null && this.declines) {
        return { status: 402, body: JSON.stringify({ error: { type: "card_error", message: "declined" } }) }
      }
      const newPrice = price === null ? undefined : this.prices.get(price)
      if (newPrice !== undefined) {
        this.charged = this.proration(subscription, newPrice.id)
        subscription.price = newPrice.id
        subscription.unit_amount = newPrice.unit_amount
      }
      const ends = form.get("cancel_at_period_end")
      if (ends !== null) subscription.cancel_at_period_end = ends === "true"
      const sku = form.get("metadata[sku]")
      if (sku !== null) subscription.metadata = { ...subscription.metadata, sku }
    }
    return ok(this.subscriptionObject(subscription))
  }

  private subscriptionObject({ price, unit_amount, ...rest }: Subscription) {
    return {
      ...rest,
      cancel_at: null,
      items: {
        data: [
          {
            id: `si_of_${rest.id}`,
            price: { id: price, unit_amount, currency: "usd" },
            current_period_end: 2_000_000_000
          }
        ]
      }
    }
  }

  private session(id: string): Session {
    const session = this.sessions.get(id)
    if (session === undefined) throw new Error(`no session ${id}`)
    return session
  }

  /** A customer finishes checkout; a slow payment (`later`) is settled by `settle`. */
  complete(id: string, later = false): object {
    const session = this.session(id)
    session.status = "complete"
    session.customer ??= this.id("cus")
    if (!later) session.payment_status = "paid"
    if (session.mode === "payment") {
      session.payment_intent = this.id("pi")
      if (!later)
        this.move("charge", session.payment_intent, session.amount_total, "charge", session.currency)
    } else {
      const subscription: Subscription = {
        id: this.id("sub"),
        customer: session.customer,
        metadata: session.metadata,
        unit_amount: session.amount_total,
        price: this.id("price"),
        status: "active",
        cancel_at_period_end: false
      }
      this.subscriptions.set(subscription.id, subscription)
      session.subscription = subscription.id
    }
    return this.event("checkout.session.completed", session)
  }

  settle(id: string): object {
    const session = this.session(id)
    session.payment_status = "paid"
    this.move("charge", session.payment_intent, session.amount_total, "charge", session.currency)
    return this.event("checkout.session.async_payment_succeeded", session)
  }

  expire(id: string): object {
    const session = this.session(id)
    session.status = "expired"
    return this.event("checkout.session.expired", session)
  }

  refund(payment: string, total: number): object {
    return this.event("charge.refunded", {
      id: `ch_of_${payment}`,
      payment_intent: payment,
      amount_refunded: total,
      currency: "usd"
    })
  }

  /** News of one refund, of a payment that told of its total or not. */
  refundEvent(
    type: "refund.created" | "refund.updated" | "refund.failed" | "charge.refund.updated",
    refund: {
      readonly id: string
      readonly payment: string
      readonly amount: number
      readonly status: string
    }
  ): object {
    const { payment, ...rest } = refund
    return this.event(type, {
      ...rest,
      object: "refund",
      charge: `ch_of_${payment}`,
      payment_intent: payment,
      currency: "usd"
    })
  }

  dispute(payment: string, amount: number, status: string, type: string): object {
    return this.event(type, {
      id: `dp_of_${payment}`,
      payment_intent: payment,
      amount,
      status,
      currency: "usd"
    })
  }

  subscriptionEvent(type: string, subscription: Subscription, at?: number): object {
    return this.event(`customer.subscription.${type}`, this.subscriptionObject(subscription), at)
  }

  invoice(type: "paid" | "payment_failed", subscription: string, at?: number, amount_paid = 499): object {
    return this.event(
      `invoice.${type}`,
      { id: this.id("in"), amount_paid, currency: "usd", parent: { subscription_details: { subscription } } },
      at
    )
  }

  /** Which payment paid the invoice of an event. */
  invoicePayment(invoice: object, payment: string): object {
    const { data } = invoice as { readonly data: { readonly object: { readonly id: string } } }
    return this.event("invoice_payment.paid", {
      id: this.id("inpay"),
      invoice: data.object.id,
      payment: { type: "payment_intent", payment_intent: payment }
    })
  }

  /** An event as Stripe makes it, of `at` (epoch seconds; 0 is the test clock's start). */
  event(type: string, object: object, at = 0): object {
    return { id: this.id("evt"), object: "event", livemode: false, type, created: at, data: { object } }
  }

  sign(event: object, options: { readonly secret?: string; readonly timestamp?: number } = {}): Signed {
    const body = JSON.stringify(event)
    return {
      body,
      signature: this.sdk.webhooks.generateTestHeaderString({
        payload: body,
        secret: options.secret ?? webhookSecret,
        // Stripe's helper takes 0 for "now": the test clock stands at 1.
        timestamp: options.timestamp ?? 1
      })
    }
  }
}

/** A stub that listens, and the real adapter pointed at it; both end with the scope. */
export const stripeStub = Effect.gen(function* () {
  const stub = yield* Effect.acquireRelease(
    Effect.sync(() => new StripeStub()),
    (stub) => Effect.sync(() => stub.close())
  )
  const port = yield* Effect.promise(() => stub.listen())
  const processor = Adapter.make({
    secretKey: Redacted.make("sk_test_stub"),
    webhookSecrets: [Redacted.make("whsec_the_older"), Redacted.make(webhookSecret)],
    apiBase: new URL(`http://127.0.0.1:${port}`)
  })
  return { stub, processor }
})
