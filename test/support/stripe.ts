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
  readonly mode: string
  readonly amount_total: number
  readonly currency: string
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
  readonly metadata: Record<string, string>
  readonly unit_amount: number
  readonly price: string
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
        metadata: { order: form.get("metadata[order]") ?? "" },
        url: `https://checkout.stripe.test/${id}`,
        status: "open",
        payment_status: "unpaid",
        payment_intent: null,
        subscription: null,
        customer: null
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
    return error(404, "no such path")
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
    session.customer = this.id("cus")
    if (!later) session.payment_status = "paid"
    if (session.mode === "payment") session.payment_intent = this.id("pi")
    else {
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
    const { price, unit_amount, ...rest } = subscription
    return this.event(
      `customer.subscription.${type}`,
      {
        ...rest,
        cancel_at: null,
        items: { data: [{ price: { id: price, unit_amount }, current_period_end: 2_000_000_000 }] }
      },
      at
    )
  }

  invoice(type: "paid" | "payment_failed", subscription: string, at?: number): object {
    return this.event(
      `invoice.${type}`,
      { id: this.id("in"), parent: { subscription_details: { subscription } } },
      at
    )
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
