/** The statement of an account, its balance with tier, limits and use, and a debt that explains itself. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Ledger } from "../../core/credits/Ledger.ts"
import { callTool } from "../support/mcp.ts"
import { Service } from "../support/service.ts"
import { type Call, header, json } from "../support/signed.ts"
import { type StripeStub, stripeStub } from "../support/stripe.ts"

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

const ask = Effect.fnUntraced(function* (call: Call) {
  return yield* (yield* Service).call(call)
})

type Headers = Readonly<Record<string, string>>

const post = (path: string, body: unknown, headers: Headers = {}) =>
  Effect.map(
    ask({
      method: "POST",
      path,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body)
    }),
    json
  )

const tell = Effect.fnUntraced(function* (event: object) {
  const { body, signature } = (yield* Stub).sign(event)
  const headers = { "content-type": "application/json", "stripe-signature": signature }
  assert.strictEqual((yield* ask({ method: "POST", path: "/webhooks/stripe", headers, body })).status, 200)
})

interface Movement {
  readonly reason: string
  readonly amount: number
  readonly balance: number
  readonly owed_change: number
  readonly owed: number
  readonly receipt?: string
  readonly order_id?: string
  readonly payment_id?: string
}

const micros = (usd: number) => Math.round(usd * 1_000_000)

/** The whole statement, page by page, whose sums are right at every line. */
const statement = Effect.fnUntraced(function* (headers: Headers, limit = 7) {
  const movements: Array<Movement> = []
  let cursor: unknown
  do {
    const query = cursor === undefined ? "" : `&cursor=${cursor}`
    const page = json(yield* ask({ path: `/v1/credits/statement?limit=${limit}${query}`, headers }))
    movements.push(...(page["movements"] as ReadonlyArray<Movement>))
    cursor = page["next_cursor"]
  } while (cursor !== undefined)
  let [balance, owed] = [0, 0]
  for (const line of movements.toReversed()) {
    balance += micros(line.amount)
    owed += micros(line.owed_change)
    assert.deepStrictEqual([micros(line.balance), micros(line.owed)], [balance, owed])
  }
  const now = json(yield* ask({ path: "/v1/credits/balance", headers })) as {
    credits_balance: number
    owed?: number
  }
  assert.deepStrictEqual([micros(now.credits_balance), micros(now.owed ?? 0)], [balance, owed])
  return movements
})

/** A key that paid 20 by card. */
const paid = Effect.fnUntraced(function* (network: string) {
  const stub = yield* Stub
  const registered = yield* post("/v1/credits/register", {}, { "x-forwarded-for": network })
  const key = { "x-api-key": String(registered["api_key"]) }
  const { checkout_url } = yield* post("/v1/credits/topup", { method: "stripe", amount: 20 }, key)
  const session = String(checkout_url).split("/").at(-1) ?? ""
  yield* tell(stub.complete(session))
  return { key, stub, payment: stub.sessions.get(session)?.payment_intent ?? assert.fail("not paid") }
})

/** One that spent nearly all of it and got the payment back. */
const indebted = Effect.gen(function* () {
  const of = yield* paid("198.18.7.1")
  for (let n = 0; n < 40; n++)
    yield* post("/v1/credits/purchase", { product_key: "depin_provenance" }, of.key)
  yield* tell(of.stub.refund(of.payment, 2000))
  return of
})

layer(service)("an account", (it) => {
  it.effect(
    "has a statement of every movement with its reason and receipt, in pages that sum to its balance",
    () =>
      Effect.gen(function* () {
        const { key, payment, stub } = yield* indebted
        const movements = yield* statement(key)
        assert.deepStrictEqual(
          movements.map(({ reason }) => reason).filter((reason, n, all) => reason !== all[n - 1]),
          ["card_refund", "purchase", "card_payment", "starter_grant"]
        )
        const [refund] = movements
        assert.deepInclude(refund, {
          amount: -5.4,
          balance: 0,
          owed_change: 14.6,
          owed: 14.6,
          payment_id: payment
        })
        const paid = movements.find(({ reason }) => reason === "card_payment")
        assert.deepInclude(paid, { amount: 20, payment_id: payment })
        assert.match(paid?.order_id ?? "", /^ord_/)
        assert.strictEqual(refund?.order_id, paid?.order_id)
        for (const line of movements.filter(({ reason }) => reason === "purchase").slice(0, 3)) {
          const receipt = json(yield* ask({ path: line.receipt ?? "", headers: key }))
          assert.deepInclude(receipt, { price: 0.49, product_key: "depin_provenance" })
        }

        // What is owed, why, and what settles it.
        const { debt } = json(yield* ask({ path: "/v1/credits/balance", headers: key })) as {
          debt: { because: ReadonlyArray<object>; how_to_settle: string; owed: number }
        }
        assert.strictEqual(debt.owed, 14.6)
        assert.strictEqual(debt.because.length, 1)
        assert.deepInclude(debt.because[0], {
          reason: "card_refund",
          amount: 14.6,
          open: 14.6,
          payment_id: payment,
          order_id: paid?.order_id
        })
        assert.include(debt.how_to_settle, "14.60 USD")

        // Paid off in part, then a second debt: what is paid next pays off the oldest first.
        const ledger = yield* Ledger
        const id = String(json(yield* ask({ path: "/v1/credits/balance", headers: key }))["account"])
        const opens = Effect.map(ask({ path: "/v1/credits/balance", headers: key }), (reply) =>
          (json(reply) as { debt: { because: ReadonlyArray<{ open: number }> } }).debt.because.map(
            ({ open }) => open
          )
        )
        const grant = (amount: bigint) =>
          ledger.credit(id, amount, "operator", {
            cause: "operator_grant",
            reference: id,
            key: `operator_grant:${amount}`
          })
        yield* grant(10_000_000n)
        assert.deepStrictEqual(yield* opens, [4.6])
        yield* ledger.clawback(id, 3_000_000n, "card", {
          cause: "card_dispute",
          reference: "pi_other",
          key: "card_reversal:pi_other:1"
        })
        assert.deepStrictEqual(yield* opens, [4.6, 3])
        yield* grant(5_000_000n)
        assert.deepStrictEqual(yield* opens, [2.6])
        // A dispute of what was refunded takes nothing more.
        yield* tell(stub.dispute(payment, 2000, "needs_response", "charge.dispute.created"))
        assert.deepInclude((yield* statement(key, 500))[0], { reason: "operator_grant", owed: 2.6 })
      })
  )

  it.effect("loses nothing to an inquiry of a bank until that becomes a dispute", () =>
    Effect.gen(function* () {
      const { key, payment, stub } = yield* paid("198.18.7.4")
      const inquiry = (status: string, type: string) => tell(stub.dispute(payment, 2000, status, type))
      yield* inquiry("warning_needs_response", "charge.dispute.created")
      yield* inquiry("warning_closed", "charge.dispute.closed")
      assert.deepInclude((yield* statement(key))[0], { reason: "card_payment", balance: 25 })
      yield* inquiry("needs_response", "charge.dispute.updated")
      assert.deepInclude((yield* statement(key))[0], { reason: "card_dispute", amount: -20, balance: 5 })
    })
  )

  it.effect("has its statement as CSV, whose next page is in the Link header", () =>
    Effect.gen(function* () {
      const registered = yield* post("/v1/credits/register", {}, { "x-forwarded-for": "198.18.7.2" })
      const key = { "x-api-key": String(registered["api_key"]) }
      for (let n = 0; n < 3; n++)
        yield* post("/v1/credits/purchase", { product_key: "depin_provenance" }, key)
      const first = yield* ask({ path: "/v1/credits/statement?format=csv&limit=3", headers: key })
      assert.strictEqual(header(first, "content-type"), "text/csv; charset=utf-8")
      const lines = first.body.toString("utf8").trimEnd().split(/\r?\n/)
      assert.match(lines[0] ?? "", /^movement_id,at,reason,description,amount,balance,/)
      assert.include(lines[1], ",purchase,Bought depin_provenance,-0.49,3.53,0,0,")
      assert.strictEqual(lines.length, 4)
      const next = /<https:\/\/plumbline\.test([^>]+)>; rel="next"/.exec(header(first, "link"))?.[1] ?? ""
      const last = yield* ask({ path: next, headers: key })
      assert.include(last.body.toString("utf8"), ",starter_grant,Starter credits of a new account,5,5,")
      assert.strictEqual(header(last, "link"), "")
      for (const [query, field] of [
        ["limit=0", "limit"],
        ["cursor=x", "cursor"],
        ["format=xml", "format"]
      ]) {
        const refused = json(yield* ask({ path: `/v1/credits/statement?${query}`, headers: key }))
        assert.deepInclude(refused, { status: 400, field })
      }
    })
  )

  it.effect(
    "shows its tier, its limits, what it used of them, and the key that asks; agents see the same",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const registered = yield* post("/v1/credits/register", {}, { "x-forwarded-for": "198.18.7.3" })
        const key = { "x-api-key": String(registered["api_key"]) }
        const limitedKey = yield* post(
          "/v1/credits/keys",
          { name: "agent", scopes: ["buy"], buy_per_day: 2 },
          key
        )
        const agent = { "x-api-key": String(limitedKey["api_key"]) }
        yield* post("/v1/credits/purchase", { product_key: "depin_provenance" }, agent)
        const { account } = json(yield* ask({ path: "/v1/credits/balance", headers: key }))
        yield* sql`insert into usage (day, subject, calls) values ('1970-01-01', ${String(account)}, 12)`
        const balance = json(yield* ask({ path: "/v1/credits/balance", headers: agent }))
        assert.deepInclude(balance, {
          credits_balance: 4.51,
          tier: "free",
          limits: { per_minute: 300, burst: 120, per_day: 1500 },
          use: { calls_today: 12, resets_at: "1970-01-02T00:00:00.000Z" },
          key: {
            key_id: limitedKey["key_id"],
            name: "agent",
            scopes: ["buy"],
            buy_per_day: 2,
            bought_today: 0.49
          }
        })
        assert.deepInclude(balance["subscription"], { state: "none" })
        assert.notProperty(balance, "debt")
        const { data } = yield* callTool("check_balance", {}, { headers: agent })
        assert.deepStrictEqual(data, balance)
      })
  )
})
