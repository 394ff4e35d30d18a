/** `purchase_data`: its arguments mean the same inside and outside of `inputs`, and whatever a purchase is paid with. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Product } from "../../core/credits/Product.ts"
import { callTool, rpc } from "../support/mcp.ts"
import { baseUrl, Service } from "../support/service.ts"
import { makeSettler, terms } from "../support/settler.ts"

const records = ["FIL", "GEOD"].flatMap((symbol) =>
  ["alpha", "beta"].map((metric) => ({ symbol, metric, value: 1, as_of: "2026-09-05T08:00:00Z" }))
)

const products: ReadonlyArray<Product> = [
  {
    key: "depin_networks",
    build: ({ inputs }) => Effect.succeed({ of: inputs["as_known_at"] ?? "now", records })
  }
]

const chain = makeSettler()

let nonces = 0

/** A payment for `depin_networks` that was not made before; all are of one payer. */
const newPayment = Effect.gen(function* () {
  const { result } = yield* rpc("tools/call", {
    name: "purchase_data",
    arguments: { product_key: "depin_networks" }
  })
  const offer = result?.["structuredContent"] as { readonly accepts: ReadonlyArray<{ amount: string }> }
  return {
    x402Version: 2,
    accepted: offer.accepts[0],
    payload: {
      signature: "0x00",
      authorization: {
        from: `0x${"cc".repeat(20)}`,
        to: terms.payTo,
        value: offer.accepts[0]?.amount,
        validAfter: "0",
        validBefore: String(Math.floor((yield* Clock.currentTimeMillis) / 1000) + 60),
        nonce: `0x${(++nonces).toString(16).padStart(64, "0")}`
      }
    }
  }
})

/** The answer to a call that pays, and how many payments were payments so far. */
const pay = Effect.fnUntraced(function* (args: object, payment: unknown) {
  const { result } = yield* rpc("tools/call", {
    name: "purchase_data",
    arguments: { product_key: "depin_networks", ...args },
    _meta: { "x402/payment": payment }
  })
  const [first] = (result?.["content"] ?? []) as ReadonlyArray<{ readonly text: string }>
  return { answer: JSON.parse(first?.text ?? "{}"), payments: chain.moved.size }
})

layer(Service.layer({ products, settler: chain.settler }))("purchase_data", (it) => {
  const ready = TestClock.setTime(Date.UTC(2026, 8, 5, 9))

  it.effect("delivers a part of a purchase, named in inputs as outside of them", () =>
    Effect.gen(function* () {
      yield* ready
      const { api_key } = (yield* callTool("register_agent")).data
      const bought = (yield* callTool("purchase_data", { product_key: "depin_networks", api_key })).data
      const again = (args: object) =>
        callTool("purchase_data", { purchase_id: bought.purchase_id, api_key, ...args })
      const part = (yield* again({ inputs: { network: "FIL" } })).data
      assert.deepStrictEqual(
        part.data.records,
        records.filter(({ symbol }) => symbol === "FIL")
      )
      assert.deepStrictEqual((yield* again({ network: "FIL" })).data, part)
      const { data } = (yield* again({ inputs: { network: "FIL", metric: "beta" } })).data
      assert.lengthOf(data.records, 1)
      for (const [args, field, valid] of [
        [{ inputs: { network: "NOPE" } }, "network", ["FIL", "GEOD"]],
        [{ inputs: { metric: "gamma" } }, "metric", ["alpha", "beta"]],
        [{ inputs: { symbols: "FIL" } }, "symbols", ["network", "metric"]],
        [{ inputs: { days: 7 } }, "days", ["network", "metric"]],
        [{ days: 7 }, "days", ["network", "metric"]],
        [{ network: 7 }, "network", undefined],
        [{ network: "FIL", inputs: { network: "GEOD" } }, "network", undefined]
      ] as const) {
        const { data, isError } = yield* again(args)
        assert.deepEqual([isError, data.error, data.field], [true, "bad_parameter", field])
        assert.deepEqual(data.valid_values, valid)
        if (valid !== undefined) assert.include(data.message, valid[0])
        assert.notInclude(data.message, field === "network" ? "symbols" : "metrics")
      }
    })
  )

  it.effect("lists purchases by a limit in inputs as outside of them", () =>
    Effect.gen(function* () {
      yield* ready
      const { api_key } = (yield* callTool("register_agent")).data
      for (let n = 0; n < 2; n++) yield* callTool("purchase_data", { product_key: "depin_networks", api_key })
      const listed = (args: object) => callTool("purchase_data", { list: true, api_key, ...args })
      const first = (yield* listed({ inputs: { limit: 1 } })).data
      assert.lengthOf(first.purchases, 1)
      assert.deepStrictEqual((yield* listed({ limit: 1 })).data, first)
      const next = { cursor: first.next_cursor, limit: 1 }
      assert.notDeepEqual((yield* listed({ inputs: next })).data.purchases, first.purchases)
      assert.strictEqual((yield* listed({ inputs: { network: "FIL" } })).data.field, "network")
    })
  )

  it.effect("takes the same arguments of one who pays per request, and no money for what it refuses", () =>
    Effect.gen(function* () {
      yield* ready
      const at = "2026-09-04T00:00:00Z"
      const before = chain.moved.size
      for (const [args, error, field] of [
        [{ max_price_usd: 0.5 }, "over_budget", undefined],
        [{ inputs: { max_price_usd: 0.5 } }, "over_budget", undefined],
        [{ max_price_usd: -1 }, "bad_parameter", "max_price_usd"],
        [{ inputs: { min_as_of: "2026-09-05T08:30:00Z" } }, "data_too_old", undefined],
        [{ inputs: { network: "FIL" } }, "bad_parameter", "network"],
        [{ inputs: { as_known_at: "yesterday" } }, "bad_parameter", "as_known_at"],
        [
          { as_known_at: at, inputs: { as_known_at: "2026-09-03T00:00:00Z" } },
          "bad_parameter",
          "as_known_at"
        ],
        [{ purchase_id: "pur_1" }, "bad_parameter", "product_key"],
        [{ idempotency_key: "a b" }, "bad_parameter", "Idempotency-Key"]
      ] as const) {
        const { answer, payments } = yield* pay(args, yield* newPayment)
        assert.deepEqual([answer.error, answer.field], [error, field], JSON.stringify(args))
        assert.strictEqual(payments, before, JSON.stringify(args))
      }
      for (const args of [{ inputs: { as_known_at: at } }, { as_known_at: at, max_price_usd: 0.99 }]) {
        const { answer } = yield* pay(args, yield* newPayment)
        assert.deepInclude(answer, { status: "purchased", price_paid: 0.99 })
        assert.strictEqual(answer.data.of, at)
      }
      assert.strictEqual(chain.moved.size, before + 2)
    })
  )

  it.effect("takes one payment for an idempotency key", () =>
    Effect.gen(function* () {
      yield* ready
      const payment = yield* newPayment
      const key = { idempotency_key: "once" }
      const first = yield* pay(key, payment)
      assert.strictEqual(first.answer.status, "purchased")
      assert.deepStrictEqual(yield* pay(key, payment), first)
      const second = yield* pay(key, yield* newPayment)
      assert.deepEqual([second.answer.error, second.payments], ["payment_reused", first.payments])
      const named = {
        ...(yield* newPayment),
        extensions: { "payment-identifier": { info: { required: false, id: "of-the-payer-0001" } } }
      }
      const both = yield* pay(key, named)
      assert.deepEqual([both.answer.field, both.payments], ["idempotency_key", first.payments])
      assert.strictEqual((yield* pay({}, named)).payments, first.payments + 1)
    })
  )

  it.effect("answers the offer without a payment, and says at once what it would refuse", () =>
    Effect.gen(function* () {
      yield* ready
      const ask = { product_key: "depin_networks", max_price_usd: 0.1 }
      assert.strictEqual((yield* callTool("purchase_data", ask)).data.error, "over_budget")
      const { data } = yield* callTool("purchase_data", { ...ask, max_price_usd: 1 })
      assert.strictEqual(data["x402/error"].code, 402, baseUrl)
    })
  )
})
