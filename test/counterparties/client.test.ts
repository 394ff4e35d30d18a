/** The public client of x402 buys: with its spending cap as it comes, with it lifted, and as version 1. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Chain } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Shop } from "../support/shop.ts"
import { installed } from "./installed.ts"
import { payingFetch, payingFetchV1 } from "./x402.ts"

const { decodePaymentResponseHeader } = await installed(() => import("@x402/fetch"))

const attempt = (run: () => Promise<Response>) => Effect.tryPromise({ try: run, catch: String })

layerNeeding("counterparties")(Shop.layer.pipe(Layer.provideMerge(Chain.layer)), {
  excludeTestServices: true
})("the public client", (it) => {
  it.effect("as it comes buys what costs less than its cap", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { payTo, url } = yield* Shop
      const payer = yield* chain.payer(10_000_000n)
      const before = yield* chain.balance(payTo)
      const response = yield* attempt(() => payingFetch(payer)(url("depin_networks")))
      assert.strictEqual(response.status, 200)
      const settlement = decodePaymentResponseHeader(response.headers.get("PAYMENT-RESPONSE") ?? "")
      assert.deepInclude(settlement, { success: true, network: "eip155:8453" })
      const body = (yield* Effect.promise(() => response.json())) as { readonly data: unknown }
      assert.deepStrictEqual(body.data, { networks: ["FIL"] })
      assert.strictEqual((yield* chain.balance(payTo)) - before, 990_000n)
      assert.strictEqual(yield* chain.balance(payer.address), 9_010_000n)
    })
  )

  it.effect("as it comes refuses what costs more, and pays once its cap is lifted as we say", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { ask, url } = yield* Shop
      const payer = yield* chain.payer(10_000_000n)
      const refused = yield* Effect.flip(attempt(() => payingFetch(payer)(url("node_quality_score"))))
      assert.match(refused, /spend|cap|amount/i)
      assert.strictEqual(yield* chain.balance(payer.address), 10_000_000n)

      const body = (yield* ask("/x402/v1/data/node_quality_score")).body.toString("utf8")
      const cap = /maxAmountPerPayment: \\"(\$[\d.]+)\\"/.exec(body)?.[1]
      assert.strictEqual(cap, "$4.99")
      const response = yield* attempt(() => payingFetch(payer, cap)(url("node_quality_score")))
      assert.strictEqual(response.status, 200)
      assert.strictEqual(yield* chain.balance(payer.address), 5_010_000n)
    })
  )

  it.effect("of version 1 buys from an offer in the body", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { url } = yield* Shop
      const payer = yield* chain.payer(1_000_000n)
      // Without the header of version 2, as a server of version 1 answers: its client looks at the body then.
      const plain = yield* Effect.promise(() => fetch(`${url("depin_provenance")}?x402=1`))
      assert.deepInclude(yield* Effect.promise(() => plain.json()), { x402Version: 1, status: 402 })
      const response = yield* attempt(() => payingFetchV1(payer)(`${url("depin_provenance")}?x402=1`))
      assert.strictEqual(response.status, 200, yield* Effect.promise(() => response.clone().text()))
      assert.isNotNull(response.headers.get("X-PAYMENT-RESPONSE"))
      assert.strictEqual(yield* chain.balance(payer.address), 510_000n)
    })
  )
})
