/** The public clients of x402 pay in test mode, on the chain of the tests: below `/test` of a live service's address. */
import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Self from "../../runtime/outside/x402/self.ts"
import { Chain, usdc } from "../support/base.ts"
import { freePort } from "../support/freePort.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { merchant } from "../support/shop.ts"
import { json } from "../support/signed.ts"
import { bothSides } from "../support/testMode.ts"
import { payingFetch, payingFetchOld } from "./x402.ts"

layerNeeding("counterparties")(Chain.layer, { excludeTestServices: true })("test mode", (it) => {
  it.effect("is paid by clients of both versions, and the live service hears nothing of it", () =>
    Effect.gen(function* () {
      const chain = yield* Chain
      const { key, payTo } = yield* merchant
      const { settler } = Self.make({
        rpcUrl: chain.rpcUrl,
        chainId: 8453,
        asset: usdc,
        payTo,
        key: Redacted.make(key)
      })
      const { live } = yield* bothSides({ port: yield* Effect.promise(freePort), test: { settler } })
      const url = `http://127.0.0.1:${live.port}/test/x402/v1/data/depin_provenance`
      const before = yield* live.content
      const payer = yield* chain.payer(2_000_000n)
      for (const paying of [payingFetch(payer), payingFetchOld(payer, chain.rpcUrl)]) {
        const response = yield* Effect.promise(() => paying(url))
        const body = yield* Effect.promise(() => response.json())
        assert.strictEqual(response.status, 200)
        assert.strictEqual(response.headers.get("plumbline-mode"), "test")
        assert.deepInclude(body as object, { test: true, price_paid: 0.49, data: { side: "test" } })
      }
      assert.strictEqual(yield* chain.balance(payTo), 980_000n)
      assert.deepStrictEqual(yield* live.content, before)
      // The live service sells nothing per request, whatever was paid in test mode.
      assert.deepInclude(json(yield* live.call("/x402")), { available: false })
    }).pipe(Effect.scoped)
  )
})
