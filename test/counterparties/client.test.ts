/** The public client of x402 buys: with its spending cap as it comes, with it lifted, and as version 1. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Chain } from "../support/base.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { Shop } from "../support/shop.ts"
import { installed } from "./installed.ts"
import { payingFetch, payingFetchOld, payingFetchV1 } from "./x402.ts"

const { Challenge } = await installed(() => import("mppx"))
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
      const body = (yield* Effect.promise(() => plain.json())) as {
        readonly message: string
        readonly x402Version: number
        readonly status: number
      }
      assert.deepInclude(body, { x402Version: 1, status: 402 })
      assert.isNotEmpty(body.message)
      const response = yield* attempt(() => payingFetchV1(payer)(`${url("depin_provenance")}?x402=1`))
      assert.strictEqual(response.status, 200, yield* Effect.promise(() => response.clone().text()))
      assert.isNotNull(response.headers.get("X-PAYMENT-RESPONSE"))
      assert.strictEqual(yield* chain.balance(payer.address), 510_000n)
    })
  )

  it.effect("that was published for version 1 alone buys at the advertised address", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { url } = yield* Shop
      const payer = yield* chain.payer(2_000_000n)
      const paying = payingFetchOld(payer, chain.rpcUrl)
      for (const address of [url("depin_provenance"), `${url("depin_provenance")}?x402=1`]) {
        const response = yield* attempt(() => paying(address))
        const text = yield* Effect.promise(() => response.text())
        assert.strictEqual(response.status, 200, text)
        assert.isNotNull(response.headers.get("X-PAYMENT-RESPONSE"))
      }
      assert.strictEqual(yield* chain.balance(payer.address), 1_020_000n)
    })
  )

  it.effect("of each version understands the bare offer of each priced address", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { url } = yield* Shop
      const poor = yield* chain.payer(0n)
      const list = (yield* Effect.promise(async () =>
        (await fetch(url("x").replace("/v1/data/x", ""))).json()
      )) as {
        readonly products: ReadonlyArray<{ readonly product_key: string; readonly available: boolean }>
      }
      const offered = list.products.filter(({ available }) => available)
      assert.isAtLeast(offered.length, 3)
      for (const { product_key: key } of offered) {
        const old = yield* Effect.flip(attempt(() => payingFetchOld(poor, chain.rpcUrl, 1n)(url(key))))
        assert.match(old, /Payment amount exceeds maximum allowed/, key)
        const now = yield* Effect.flip(attempt(() => payingFetch(poor, "$0.000001")(url(key))))
        assert.match(now, /spend|cap|amount/i, key)
        const bare = yield* Effect.promise(() => fetch(url(key)))
        assert.strictEqual(bare.status, 402, key)
        const charge = Challenge.deserialize(bare.headers.get("www-authenticate") ?? "")
        const body = (yield* Effect.promise(() => bare.json())) as {
          readonly message: string
          readonly accepts: ReadonlyArray<Readonly<Record<string, unknown>>>
        }
        assert.isNotEmpty(body.message)
        assert.deepInclude(charge.request, { amount: body.accepts[0]?.["amount"] })
      }
    })
  )
})
