/** Paying by card, against a stub of Stripe's HTTP interface and its own signing helper. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Ledger } from "../../core/credits/Ledger.ts"
import { baseUrl, Service } from "../support/service.ts"
import { type Call, json } from "../support/signed.ts"
import { type Signed, type StripeStub, stripeStub } from "../support/stripe.ts"

class Stub extends Context.Service<Stub, StripeStub>()("test/Stub") {}

const service = Layer.unwrap(
  Effect.map(stripeStub, ({ processor, stub }) =>
    Service.layer({
      cards: processor,
      trustProxy: 1,
      products: [{ key: "depin_provenance", build: () => Effect.succeed({ n: 1 }) }]
    }).pipe(Layer.provideMerge(Layer.succeed(Stub, stub)))
  )
)

const ask = Effect.fnUntraced(function* (call: Call | string) {
  return yield* (yield* Service).call(call)
})

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  ask({
    method: "POST",
    path,
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

const deliver = ({ body, signature }: Signed) =>
  post("/webhooks/stripe", body, { "stripe-signature": signature })

const tell = Effect.fnUntraced(function* (event: object) {
  const stub = yield* Stub
  const reply = yield* deliver(stub.sign(event))
  assert.deepStrictEqual([reply.status, json(reply)], [200, { received: true }])
})

let networks = 0

const newKey = Effect.gen(function* () {
  const reply = yield* post("/v1/credits/register", {}, { "x-forwarded-for": `198.18.0.${++networks}` })
  return { "x-api-key": String(json(reply)["api_key"]) }
})

const balance = (headers: Record<string, string>) =>
  Effect.map(ask({ path: "/v1/credits/balance", headers }), json)

/** A key with a session for a pack of 20. */
const topUp = Effect.gen(function* () {
  const stub = yield* Stub
  const key = yield* newKey
  const reply = yield* post("/v1/credits/topup", { method: "stripe", amount: 20 }, key)
  assert.deepInclude(json(reply), { status: "stripe_payment_link", amount: 20 })
  const session = String(json(reply)["checkout_url"]).split("/").at(-1) ?? ""
  const intent = () => stub.sessions.get(session)?.payment_intent ?? assert.fail("not completed")
  return { stub, key, session, intent }
})

const subscribe = Effect.fnUntraced(function* (sku: string) {
  const stub = yield* Stub
  const reply = yield* post("/buy/api/order", { sku, email: "a@b.example" })
  assert.strictEqual(reply.status, 200)
  const session = String(json(reply)["checkout_url"]).split("/").at(-1) ?? ""
  const completed = stub.complete(session)
  const subscription = stub.subscriptions.get(stub.sessions.get(session)?.subscription ?? "")
  if (subscription === undefined) return assert.fail("no subscription")
  return { stub, session, completed, subscription }
})

layer(service)("cards", (it) => {
  it.effect("a pack is credited when Stripe says it is paid, once, however often it says so", () =>
    Effect.gen(function* () {
      const { key, session, stub } = yield* topUp
      const { path, form } = stub.requests.at(-1) ?? assert.fail("Stripe was not asked")
      assert.strictEqual(path, "POST /v1/checkout/sessions")
      assert.notInclude(form.toString(), key["x-api-key"])
      assert.deepInclude(yield* balance(key), { credits_balance: 5 })

      const completed = stub.complete(session)
      const signed = stub.sign(completed)
      const replies = yield* Effect.forEach([1, 2, 3, 4], () => deliver(signed), { concurrency: 4 })
      assert.deepStrictEqual(
        replies.map(({ status }) => status),
        [200, 200, 200, 200]
      )
      // Another event of the same payment: it hangs on the payment, not on the event.
      yield* tell(stub.settle(session))
      assert.deepInclude(yield* balance(key), { credits_balance: 25, spending_status: "active" })
    })
  )

  it.effect("a slow payment is credited when it is settled, an expired one never", () =>
    Effect.gen(function* () {
      const slow = yield* topUp
      yield* tell(slow.stub.complete(slow.session, true))
      assert.deepInclude(yield* balance(slow.key), { credits_balance: 5 })
      yield* tell(slow.stub.settle(slow.session))
      assert.deepInclude(yield* balance(slow.key), { credits_balance: 25 })

      const expired = yield* topUp
      yield* tell(expired.stub.expire(expired.session))
      assert.deepInclude(yield* balance(expired.key), { credits_balance: 5 })
    })
  )

  it.effect("any amount that is no pack returns the menu and asks Stripe nothing", () =>
    Effect.gen(function* () {
      const stub = yield* Stub
      const key = yield* newKey
      const before = stub.requests.length
      const amounts = [
        "5",
        "-20",
        '"-20"',
        "20.000001",
        "1e309",
        "null",
        '"NaN"',
        '"1e2"',
        '" 20"',
        "[20]",
        '"٢٠"',
        "{}"
      ]
      for (const amount of amounts) {
        const reply = yield* post("/v1/credits/topup", `{"method":"stripe","amount":${amount}}`, key)
        assert.deepInclude(json(reply), { status: "menu", valid_amounts: [20, 99] }, amount)
        assert.strictEqual(reply.status, 200)
      }
      assert.strictEqual((yield* post("/v1/credits/topup", { method: "stripe" }, key)).status, 200)
      assert.strictEqual(stub.requests.length, before)
      const text = yield* post("/v1/credits/topup", { method: "stripe", amount: "99" }, key)
      assert.deepInclude(json(text), { status: "stripe_payment_link", amount: 99 })
      assert.strictEqual((yield* post("/v1/credits/topup", { method: "cash", amount: 20 }, key)).status, 400)
      assert.strictEqual((yield* post("/v1/credits/topup", { method: "stripe", amount: 20 })).status, 401)
    })
  )

  it.effect("an Idempotency-Key is one session, also when Stripe's answer was lost", () =>
    Effect.gen(function* () {
      const stub = yield* Stub
      const key = yield* newKey
      const headers = { ...key, "idempotency-key": "once" }
      const ask20 = post("/v1/credits/topup", { method: "stripe", amount: 20 }, headers)
      const sessions = stub.sessions.size
      stub.breakNext = true
      const first = yield* ask20
      const again = yield* ask20
      const third = yield* ask20
      assert.include([200, 503], first.status)
      assert.strictEqual(again.status, 200)
      assert.strictEqual(third.body.toString(), again.body.toString())
      assert.strictEqual(stub.sessions.size, sessions + 1)
      const other = yield* post("/v1/credits/topup", { method: "stripe", amount: 99 }, headers)
      assert.deepInclude(json(other), { status: 422, error: "idempotency_key_reused" })
    })
  )

  it.effect("an Idempotency-Key on an order is one session for one network and body", () =>
    Effect.gen(function* () {
      const stub = yield* Stub
      const order = (network: string, sku: string) =>
        post(
          "/buy/api/order",
          { sku, email: "a@b.example" },
          { "idempotency-key": "an-order", "x-forwarded-for": network }
        )
      const sessions = stub.sessions.size
      const both = yield* Effect.all(
        [order("198.18.1.1", "dp_credits_499"), order("198.18.1.1", "dp_credits_499")],
        { concurrency: 2 }
      )
      assert.deepStrictEqual(json(both[0]), json(both[1]))
      assert.strictEqual(stub.sessions.size, sessions + 1)
      const reused = yield* order("198.18.1.1", "dp_agent_499")
      assert.deepInclude(json(reused), { status: 422, error: "idempotency_key_reused" })
      // Another client's key of the same name is another order: nobody is shown a stranger's checkout.
      const other = yield* order("198.18.1.2", "dp_credits_499")
      assert.notStrictEqual(json(other)["checkout_url"], json(both[0])["checkout_url"])
      assert.strictEqual((yield* order("198.18.1.1", "dp_credits_499")).status, 200)
      const spaced = { "idempotency-key": "two words" }
      const refused = yield* post("/buy/api/order", { sku: "dp_credits_499", email: "a@b.example" }, spaced)
      assert.deepInclude(json(refused), { status: 400, field: "Idempotency-Key" })
    })
  )

  it.effect("forged, altered, old, future-dated and live events are refused and move nothing", () =>
    Effect.gen(function* () {
      const { key, session, stub } = yield* topUp
      const event = stub.complete(session)
      const good = stub.sign(event)
      yield* TestClock.setTime(10_000_000)
      const bad: ReadonlyArray<Signed> = [
        { ...good, signature: "" },
        { ...good, signature: "t=10000,v1=00" },
        stub.sign(event, { secret: "whsec_forged", timestamp: 10_000 }),
        stub.sign(event, { timestamp: 10_000 - 301 }),
        stub.sign(event, { timestamp: 10_000 + 301 }),
        stub.sign(event, { timestamp: 99_999_999_999 }),
        { ...stub.sign(event, { timestamp: 10_000 }), body: good.body.replace("2000", "9900") },
        stub.sign({ ...event, livemode: true }, { timestamp: 10_000 })
      ]
      for (const signed of bad) {
        const reply = yield* deliver(signed)
        assert.deepInclude(json(reply), { status: 400, error: "event_refused" })
      }
      assert.deepInclude(yield* balance(key), { credits_balance: 5 })
      // The older of two secrets holds while one is being rotated.
      const rotated = stub.sign(event, { secret: "whsec_the_older", timestamp: 10_000 })
      assert.strictEqual((yield* deliver(rotated)).status, 200)
      assert.deepInclude(yield* balance(key), { credits_balance: 25 })
      yield* TestClock.setTime(0)
    })
  )

  it.effect("a payment that does not match its order is held, not credited", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const change of [
        { amount_total: 1 },
        { amount_total: 2001 },
        { currency: "eur" },
        { mode: "subscription" }
      ]) {
        const { key, session, stub } = yield* topUp
        stub.complete(session)
        yield* tell(stub.event("checkout.session.completed", { ...stub.sessions.get(session), ...change }))
        assert.deepInclude(yield* balance(key), { credits_balance: 5 })
        assert.deepStrictEqual(yield* sql`select state from card_order where session = ${session}`, [
          { state: "held" }
        ])
      }
      const { key, session, stub } = yield* topUp
      stub.complete(session)
      yield* tell(
        stub.event("checkout.session.completed", {
          ...stub.sessions.get(session),
          client_reference_id: "ord_x"
        })
      )
      assert.deepInclude(yield* balance(key), { credits_balance: 5 })
    })
  )

  it.effect("refunds take back what is there and the rest is owed; spending stops until it is settled", () =>
    Effect.gen(function* () {
      const { intent, key, session, stub } = yield* topUp
      yield* tell(stub.complete(session))
      yield* tell(stub.refund(intent(), 500))
      yield* tell(stub.refund(intent(), 500))
      assert.deepInclude(yield* balance(key), { credits_balance: 20 })
      for (let n = 0; n < 40; n++)
        yield* post("/v1/credits/purchase", { product_key: "depin_provenance" }, key)
      assert.deepInclude(yield* balance(key), { credits_balance: 0.4 })
      yield* tell(stub.refund(intent(), 2000))
      // Late news of the partial refund changes nothing.
      yield* tell(stub.refund(intent(), 500))
      assert.deepInclude(yield* balance(key), {
        credits_balance: 0,
        spending_status: "restricted",
        owed: 14.6
      })
      const refused = json(yield* post("/v1/credits/purchase", { product_key: "depin_provenance" }, key))
      assert.deepInclude(refused, { status: 402, owed: 14.6, shortfall: 15.09 })
      assert.hasAllKeys(refused["how_to_topup"], ["card", "pricing"])

      const link = yield* post("/v1/credits/topup", { method: "stripe", amount: 20 }, key)
      yield* tell(stub.complete(String(json(link)["checkout_url"]).split("/").at(-1) ?? ""))
      assert.deepInclude(yield* balance(key), { credits_balance: 5.4, spending_status: "active" })
      assert.isTrue((yield* (yield* Ledger).check).ok)
    })
  )

  it.effect("a refund that fails gives back what it took, once, in whatever order it is told", () =>
    Effect.gen(function* () {
      const { intent, key, session, stub } = yield* topUp
      yield* tell(stub.complete(session))
      const first = { id: `re_a_${session}`, payment: intent(), amount: 500, status: "pending" }
      const second = { id: `re_b_${session}`, payment: intent(), amount: 500, status: "succeeded" }
      yield* tell(stub.refundEvent("refund.created", first))
      yield* tell(stub.refund(intent(), 500))
      assert.deepInclude(yield* balance(key), { credits_balance: 20 })
      for (let n = 0; n < 3; n++) {
        yield* tell(stub.refundEvent("refund.failed", { ...first, status: "failed" }))
        yield* tell(stub.refundEvent("charge.refund.updated", { ...first, status: "failed" }))
      }
      // Late news from before it failed changes nothing.
      yield* tell(stub.refundEvent("refund.updated", { ...first, status: "succeeded" }))
      assert.deepInclude(yield* balance(key), { credits_balance: 25 })
      // On the retry the payment tells the same total as the first time.
      yield* tell(stub.refund(intent(), 500))
      yield* tell(stub.refundEvent("refund.created", second))
      assert.deepInclude(yield* balance(key), { credits_balance: 20 })

      // Where only totals and failures are told, and the failure comes first.
      const other = yield* topUp
      yield* tell(other.stub.complete(other.session))
      const gone = { id: `re_${other.session}`, payment: other.intent(), amount: 2000, status: "canceled" }
      yield* tell(other.stub.refundEvent("charge.refund.updated", gone))
      yield* tell(other.stub.refund(other.intent(), 2000))
      assert.deepInclude(yield* balance(other.key), { credits_balance: 25, spending_status: "active" })

      // What was owed for it is owed no more.
      const spent = yield* topUp
      yield* tell(spent.stub.complete(spent.session))
      for (let n = 0; n < 50; n++) {
        yield* post("/v1/credits/purchase", { product_key: "depin_provenance" }, spent.key)
      }
      yield* tell(spent.stub.refund(spent.intent(), 2000))
      assert.deepInclude(yield* balance(spent.key), { spending_status: "restricted", owed: 19.5 })
      const failed = { id: `re_${spent.session}`, payment: spent.intent(), amount: 2000, status: "failed" }
      yield* tell(spent.stub.refundEvent("refund.failed", failed))
      assert.deepInclude(yield* balance(spent.key), { credits_balance: 0.5, spending_status: "active" })
      assert.isTrue((yield* (yield* Ledger).check).ok)
    })
  )

  it.effect("a refund that is told before its payment is not lost", () =>
    Effect.gen(function* () {
      const { intent, key, session, stub } = yield* topUp
      const completed = stub.complete(session)
      yield* tell(stub.refund(intent(), 2000))
      assert.deepInclude(yield* balance(key), { credits_balance: 5 })
      yield* tell(completed)
      assert.deepInclude(yield* balance(key), { credits_balance: 5, spending_status: "active" })
    })
  )

  it.effect("a dispute takes the payment back, a won one gives it back, in any order", () =>
    Effect.gen(function* () {
      const { intent, key, session, stub } = yield* topUp
      yield* tell(stub.complete(session))
      yield* tell(stub.dispute(intent(), 2000, "needs_response", "charge.dispute.created"))
      assert.deepInclude(yield* balance(key), { credits_balance: 5 })
      yield* tell(stub.dispute(intent(), 2000, "won", "charge.dispute.closed"))
      assert.deepInclude(yield* balance(key), { credits_balance: 25 })
      yield* tell(stub.dispute(intent(), 2000, "needs_response", "charge.dispute.funds_withdrawn"))
      assert.deepInclude(yield* balance(key), { credits_balance: 25 })

      const lost = yield* topUp
      yield* tell(lost.stub.complete(lost.session))
      yield* tell(lost.stub.dispute(lost.intent(), 2000, "lost", "charge.dispute.closed"))
      assert.deepInclude(yield* balance(lost.key), { credits_balance: 5 })
      assert.isTrue((yield* (yield* Ledger).check).ok)
    })
  )

  it.effect("a one-shot purchase gives its key for 24 hours, kept only as a hash", () =>
    Effect.gen(function* () {
      const stub = yield* Stub
      const reply = yield* post("/buy/api/order", { sku: "dp_credits_499", email: "a@b.example" })
      assert.deepInclude(json(reply), { sku: "dp_credits_499", price_usd: 4.99 })
      const session = String(json(reply)["checkout_url"]).split("/").at(-1) ?? ""
      const at = `/v1/credits/by_session?session_id=${session}`
      // Whoever ordered can ask for the key without having been at Stripe.
      assert.strictEqual(json(reply)["key_url"], `${baseUrl}${at}`)
      assert.strictEqual((yield* ask(at)).status, 404)
      yield* tell(stub.complete(session))
      const issuedKey = json(yield* ask(at))
      assert.deepInclude(issuedKey, { credits_balance: 4.99, tier: "Free" })
      assert.strictEqual(json(yield* ask(at))["api_key"], issuedKey["api_key"])
      const key = { "x-api-key": String(issuedKey["api_key"]) }
      assert.deepInclude(yield* balance(key), { credits_balance: 4.99 })
      // Of another kind, and of nobody.
      for (const path of [
        `/v1/key/by-session?session_id=${session}`,
        "/v1/credits/by_session?session_id=cs_test_none",
        "/v1/credits/by_session?session_id=%20"
      ]) {
        assert.strictEqual((yield* ask(path)).status, 404)
      }
      assert.strictEqual((yield* ask("/v1/credits/by_session")).status, 400)
      yield* TestClock.adjust("24 hours")
      assert.strictEqual((yield* ask(at)).status, 200)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* ask(at)).status, 410)
      yield* TestClock.setTime(0)
      yield* ask({ method: "POST", path: "/v1/credits/keys/rotate", headers: key })
      assert.strictEqual((yield* ask(at)).status, 410)
    })
  )

  it.effect("a subscription opens its tier, from the session or its own events, whichever comes first", () =>
    Effect.gen(function* () {
      for (const sessionFirst of [true, false]) {
        const { completed, session, stub, subscription } = yield* subscribe("dp_partner_199")
        const created = stub.subscriptionEvent("created", subscription)
        for (const event of sessionFirst ? [completed, created] : [created, completed]) yield* tell(event)
        const issuedKey = json(yield* ask(`/v1/key/by-session?session_id=${session}`))
        assert.deepInclude(issuedKey, { tier: "Design Partner", credits_balance: 0 })
        const key = { "x-api-key": String(issuedKey["api_key"]) }
        assert.strictEqual((yield* ask({ path: "/v1/digest", headers: key })).status, 200)
        const portal = yield* ask({ method: "POST", path: "/v1/credits/portal", headers: key })
        assert.match(String(json(portal)["portal_url"]), /^https:\/\/billing\.stripe\.test\/cus_/)
      }
      const key = yield* newKey
      assert.strictEqual(
        (yield* ask({ method: "POST", path: "/v1/credits/portal", headers: key })).status,
        404
      )
    })
  )

  it.effect("a subscription goes through its states, and each opens or closes the tier", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { completed, session, stub, subscription } = yield* subscribe("dp_partner_199")
      yield* tell(completed)
      const key = {
        "x-api-key": String(json(yield* ask(`/v1/key/by-session?session_id=${session}`))["api_key"])
      }
      const stands = Effect.gen(function* () {
        const [row] = yield* sql<{
          state: string
        }>`select state from subscription where id = ${subscription.id}`
        return [row?.state, (yield* ask({ path: "/v1/digest", headers: key })).status]
      })
      assert.deepStrictEqual(yield* stands, ["active", 200])
      yield* tell(stub.invoice("payment_failed", subscription.id, 10))
      assert.deepStrictEqual(yield* stands, ["past_due", 200])
      yield* tell(stub.invoice("paid", subscription.id, 20))
      assert.deepStrictEqual(yield* stands, ["active", 200])
      yield* tell(stub.subscriptionEvent("updated", { ...subscription, cancel_at_period_end: true }, 30))
      assert.deepStrictEqual(yield* stands, ["canceling", 200])
      yield* tell(stub.subscriptionEvent("updated", subscription, 40))
      assert.deepStrictEqual(yield* stands, ["active", 200])
      yield* tell(stub.subscriptionEvent("updated", { ...subscription, status: "past_due" }, 50))
      assert.deepStrictEqual(yield* stands, ["past_due", 200])
      yield* tell(stub.subscriptionEvent("deleted", { ...subscription, status: "canceled" }, 60))
      assert.deepStrictEqual(yield* stands, ["ended", 402])
      // News from before the end, late.
      yield* tell(stub.subscriptionEvent("updated", subscription, 55))
      yield* tell(stub.invoice("paid", subscription.id, 59))
      yield* tell(stub.subscriptionEvent("updated", subscription, 60))
      assert.deepStrictEqual(yield* stands, ["ended", 402])
    })
  )

  it.effect("a subscriber keeps the tier and the Price of the day it began", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { completed, session, stub, subscription } = yield* subscribe("dp_agent_499")
      yield* tell(completed)
      // The list moved since: the subscription's own Price is what counts.
      yield* tell(stub.subscriptionEvent("updated", { ...subscription, unit_amount: 299 }, 10))
      assert.deepStrictEqual(yield* sql`select price, tier from subscription where id = ${subscription.id}`, [
        { price: subscription.price, tier: "agent" }
      ])
      const issuedKey = json(yield* ask(`/v1/key/by-session?session_id=${session}`))
      assert.strictEqual(issuedKey["tier"], "Agent")
    })
  )

  it.effect("an order names what is wrong with it", () =>
    Effect.gen(function* () {
      const unknown = json(yield* post("/buy/api/order", { sku: "dp_pro", email: "a@b.example" }))
      assert.deepInclude(unknown, {
        status: 400,
        field: "sku",
        valid_values: ["dp_credits_499", "dp_agent_499", "dp_partner_199"]
      })
      for (const body of [
        { sku: "__proto__", email: "a@b.example" },
        { sku: "dp_agent_499" },
        { sku: "dp_agent_499", email: "a@b.example\r\nBcc: c@d.example" },
        { email: "a@b.example" }
      ]) {
        assert.strictEqual((yield* post("/buy/api/order", body)).status, 400)
      }
      const hint = json(yield* ask("/buy/api/order"))
      assert.deepInclude(hint, { status: 405 })
    })
  )
})

layer(Service.layer())("cards that are not set up", (it) => {
  it.effect("say so, and still show the menu", () =>
    Effect.gen(function* () {
      const key = yield* newKey
      assert.strictEqual((yield* post("/v1/credits/topup", { method: "stripe", amount: 7 }, key)).status, 200)
      const refused = json(yield* post("/v1/credits/topup", { method: "stripe", amount: 20 }, key))
      assert.deepInclude(refused, { status: 503, error: "cards_unavailable" })
      const order = yield* post("/buy/api/order", { sku: "dp_agent_499", email: "a@b.example" })
      assert.strictEqual(order.status, 503)
      assert.strictEqual(
        (yield* post("/webhooks/stripe", "{}", { "stripe-signature": "t=1,v1=00" })).status,
        503
      )
    })
  )
})
