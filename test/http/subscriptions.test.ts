/** An existing key subscribes, changes its tier and cancels, through the real SDK and a stand-in of Stripe. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Ledger } from "../../core/credits/Ledger.ts"
import { Service } from "../support/service.ts"
import { type Call, json } from "../support/signed.ts"
import { type StripeStub, stripeStub } from "../support/stripe.ts"

class Stub extends Context.Service<Stub, StripeStub>()("test/Stub") {}

const service = Layer.unwrap(
  Effect.map(stripeStub, ({ processor, stub }) =>
    Service.layer({ cards: processor, trustProxy: 1 }).pipe(Layer.provideMerge(Layer.succeed(Stub, stub)))
  )
)

const ask = Effect.fnUntraced(function* (call: Call) {
  return yield* (yield* Service).call(call)
})

type Headers = Readonly<Record<string, string>>

const post = (path: string, body: unknown, headers: Headers = {}) =>
  ask({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

const tell = Effect.fnUntraced(function* (event: object) {
  const { body, signature } = (yield* Stub).sign(event)
  const reply = yield* ask({
    method: "POST",
    path: "/webhooks/stripe",
    headers: { "content-type": "application/json", "stripe-signature": signature },
    body
  })
  assert.strictEqual(reply.status, 200, reply.body.toString())
})

let networks = 0

const newKey = Effect.gen(function* () {
  const reply = yield* post("/v1/credits/register", {}, { "x-forwarded-for": `198.18.9.${++networks}` })
  return { "x-api-key": String(json(reply)["api_key"]) }
})

const subscribe = (key: Headers, sku: string, rest: object = {}) =>
  Effect.map(post("/v1/credits/subscription", { sku, ...rest }, key), json)

const view = (key: Headers) => Effect.map(ask({ path: "/v1/credits/subscription", headers: key }), json)

/** A key whose checkout for this SKU is paid. */
const subscribed = Effect.fnUntraced(function* (sku: string) {
  const stub = yield* Stub
  const key = yield* newKey
  const { checkout_url, status } = yield* subscribe(key, sku)
  assert.strictEqual(status, "checkout")
  const session = String(checkout_url).split("/").at(-1) ?? ""
  yield* tell(stub.complete(session))
  const subscription = stub.subscriptions.get(stub.sessions.get(session)?.subscription ?? "")
  if (subscription === undefined) return assert.fail("no subscription")
  yield* tell(stub.subscriptionEvent("created", subscription))
  return { key, stub, session, subscription }
})

layer(service)("the subscription of an existing key", (it) => {
  it.effect("begins with a checkout that is bound to the account, and opens the tier for all its keys", () =>
    Effect.gen(function* () {
      const stub = yield* Stub
      const key = yield* newKey
      assert.deepInclude(yield* view(key), { state: "none", payments: [] })
      const other = json(yield* post("/v1/credits/keys", { scopes: ["read"] }, key))
      const reader = { "x-api-key": String(other["api_key"]) }
      assert.deepInclude(yield* subscribe(key, "dp_partner_199", { preview: true }), {
        status: "preview",
        due_now: 199
      })
      const opened = yield* subscribe(key, "dp_partner_199")
      assert.deepInclude(opened, { status: "checkout", price_usd: 199 })
      const session = String(opened["checkout_url"]).split("/").at(-1) ?? ""
      assert.notInclude(JSON.stringify(stub.requests.map(({ form }) => form.toString())), key["x-api-key"])
      assert.strictEqual((yield* ask({ path: "/v1/digest", headers: reader })).status, 402)
      yield* tell(stub.complete(session))
      assert.strictEqual((yield* ask({ path: "/v1/digest", headers: reader })).status, 200)
      assert.deepInclude(yield* view(key), { state: "active", tier: "design_partner", sku: "dp_partner_199" })
      // There is no new key to show.
      const page = (yield* ask({ path: `/paid?session_id=${session}` })).body.toString()
      assert.include(page, "every key of the account")
      assert.strictEqual((yield* ask({ path: `/v1/key/by-session?session_id=${session}` })).status, 410)
    })
  )

  it.effect("changes up and down with Stripe's proration, which a preview says beforehand", () =>
    Effect.gen(function* () {
      const { key, stub, subscription } = yield* subscribed("dp_agent_499")
      stub.elapsed = 0.25
      const preview = yield* subscribe(key, "dp_partner_199", { preview: true })
      assert.deepInclude(preview, { status: "preview", due_now: 145.51 })
      assert.deepInclude(yield* view(key), { tier: "agent" })
      const changed = yield* subscribe(key, "dp_partner_199")
      assert.deepInclude(changed, { status: "changed" })
      assert.strictEqual(stub.charged, 14_551)
      // Shown at once, and after the event the same.
      for (const _ of [1, 2]) {
        assert.deepInclude(yield* view(key), { state: "active", tier: "design_partner" })
        yield* tell(stub.subscriptionEvent("updated", subscription, 10))
      }
      assert.deepInclude(yield* subscribe(key, "dp_partner_199"), { status: "unchanged" })
      const { due_now } = yield* subscribe(key, "dp_agent_499", { preview: true })
      assert.strictEqual(due_now, -145.51)
      assert.deepInclude(yield* subscribe(key, "dp_agent_499"), { status: "changed" })
      assert.strictEqual((yield* ask({ path: "/v1/digest", headers: key })).status, 402)
      // Late news from before the change does not bring the old tier back.
      yield* tell(stub.subscriptionEvent("updated", subscription, 20))
      yield* tell(
        stub.subscriptionEvent("updated", { ...subscription, metadata: { sku: "dp_partner_199" } }, 15)
      )
      assert.deepInclude(yield* view(key), { tier: "agent" })
      stub.elapsed = 0
    })
  )

  it.effect("stays as it is if the card does not pay the difference", () =>
    Effect.gen(function* () {
      const { key, stub } = yield* subscribed("dp_agent_499")
      stub.declines = true
      assert.deepInclude(yield* subscribe(key, "dp_partner_199"), { status: 402, error: "payment_declined" })
      stub.declines = false
      assert.deepInclude(yield* view(key), { state: "active", tier: "agent" })
    })
  )

  it.effect("is cancelled for the end of its period, kept again, and ended by Stripe", () =>
    Effect.gen(function* () {
      const { key, stub, subscription } = yield* subscribed("dp_partner_199")
      const cancel = Effect.map(post("/v1/credits/subscription/cancel", {}, key), json)
      assert.deepInclude(yield* cancel, { state: "canceling", period_ends: "2033-05-18T03:33:20.000Z" })
      assert.isTrue(subscription.cancel_at_period_end)
      assert.deepInclude(yield* cancel, { state: "canceling" })
      assert.strictEqual((yield* ask({ path: "/v1/digest", headers: key })).status, 200)
      assert.deepInclude(yield* subscribe(key, "dp_partner_199"), { status: "resumed" })
      assert.isFalse(subscription.cancel_at_period_end)
      yield* tell(stub.subscriptionEvent("deleted", { ...subscription, status: "canceled" }, 30))
      assert.deepInclude(yield* view(key), { state: "ended" })
      assert.strictEqual((yield* ask({ path: "/v1/digest", headers: key })).status, 402)
      const none = json(yield* post("/v1/credits/subscription/cancel", {}, key))
      assert.deepInclude(none, { status: 404, error: "not_subscribed" })
      // Begun again, for the same customer of Stripe.
      const again = yield* subscribe(key, "dp_agent_499")
      const session = stub.sessions.get(String(again["checkout_url"]).split("/").at(-1) ?? "")
      assert.strictEqual(session?.customer, subscription.customer)
    })
  )

  it.effect("has one open checkout: another SKU closes it, and a paid one stops the next", () =>
    Effect.gen(function* () {
      const stub = yield* Stub
      const key = yield* newKey
      const sessionOf = (opened: Record<string, unknown>) =>
        String(opened["checkout_url"]).split("/").at(-1) ?? ""
      const first = sessionOf(yield* subscribe(key, "dp_agent_499"))
      const second = sessionOf(yield* subscribe(key, "dp_partner_199"))
      assert.strictEqual(stub.sessions.get(first)?.status, "expired")
      stub.complete(second)
      assert.deepInclude(yield* subscribe(key, "dp_agent_499"), {
        status: 409,
        error: "subscription_pending"
      })
    })
  )

  it.effect("names what is wrong with a request, and needs the scope account", () =>
    Effect.gen(function* () {
      const key = yield* newKey
      assert.deepInclude(yield* subscribe(key, "dp_credits_499"), {
        status: 400,
        field: "sku",
        valid_values: ["dp_agent_499", "dp_partner_199"]
      })
      const limitedKey = json(yield* post("/v1/credits/keys", { scopes: ["read", "buy"] }, key))
      const buyer = { "x-api-key": String(limitedKey["api_key"]) }
      assert.deepInclude(yield* subscribe(buyer, "dp_agent_499"), { status: 403, error: "scope_missing" })
    })
  )

  it.effect("is the one of the account's tier, beside one for a price that is not sold here", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { key, subscription } = yield* subscribed("dp_partner_199")
      yield* sql`
        insert into subscription (id, account, customer, tier, price, state, period_ends, told_at)
        select 'sub_of_old', account, customer, null, 'price_of_old', state, period_ends, told_at + interval '1 day'
        from subscription where id = ${subscription.id}`
      assert.deepInclude(yield* view(key), { state: "active", tier: "design_partner" })
    })
  )

  it.effect(
    "is booked by invoice, once, in whatever order it is told; a refund is not taken from credits",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { key, stub, subscription } = yield* subscribed("dp_partner_199")
        const booked = Effect.map(
          sql`select coalesce(sum(e.amount), 0)::text as sum from ledger_entry e join posting p on p.id = e.posting
          where e.account = 'card' and (p.key like 'subscription_payment:%' or p.key like 'card_reversal:pi_sub%')`,
          ([row]) => row?.["sum"]
        )
        const invoice = stub.invoice("paid", subscription.id, 1, 19_900)
        yield* tell(stub.invoicePayment(invoice, "pi_sub_1"))
        yield* tell(stub.refund("pi_sub_1", 5000))
        assert.strictEqual(yield* booked, "0")
        yield* tell(invoice)
        assert.strictEqual(yield* booked, "-149000000")
        yield* tell(stub.event("invoice.paid", (invoice as { data: { object: object } }).data.object, 2))
        assert.strictEqual(yield* booked, "-149000000")
        yield* tell(stub.refund("pi_sub_1", 19_900))
        assert.strictEqual(yield* booked, "0")
        const { payments } = yield* view(key)
        assert.deepInclude((payments as ReadonlyArray<object>)[0], { amount: 199 })
        assert.deepInclude(json(yield* ask({ path: "/v1/credits/balance", headers: key })), {
          credits_balance: 5,
          spending_status: "active"
        })
        assert.isTrue((yield* (yield* Ledger).check).ok)
      })
  )
})
