/** Without gas for settlements nothing is offered, nobody is asked to sign, and what was paid before is delivered all the same. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { privateKeyToAccount } from "viem/accounts"
import { X402 } from "../../core/credits/x402/X402.ts"
import * as Self from "../../runtime/outside/x402/self.ts"
import { Chain, usdc } from "../support/base.ts"
import { credits } from "../support/credits.ts"
import { postgres } from "../support/database.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { encode, payloadOf, sign } from "../support/payments.ts"
import { rpcProxy } from "../support/rpcProxy.ts"
import { merchant, products } from "../support/shop.ts"

const shop = "https://shop.test"

const open = Effect.gen(function* () {
  const chain = yield* Chain
  const { key, payTo } = yield* merchant
  const proxy = yield* rpcProxy(chain.rpcUrl)
  const self = Self.make({
    rpcUrl: proxy.url,
    chainId: 8453,
    asset: usdc,
    payTo,
    key: Redacted.make(key),
    waits: { every: "20 millis", times: 50 }
  })
  const context = yield* Layer.build(credits(postgres, products, { settler: self.settler }))
  const x402 = yield* Effect.provide(X402, context)
  const { address } = privateKeyToAccount(key)
  const { maxFeePerGas } = yield* Effect.promise(() =>
    chain.client.estimateFeesPerGas({ chain: null, type: "eip1559" })
  )
  return {
    chain,
    proxy,
    x402,
    settler: self.settler,
    /** Leaves the account what so many settlements take, and lets the last look grow old. */
    leave: (settlements: bigint) =>
      Effect.promise(() =>
        chain.client.setBalance({ address, value: settlements * 200_000n * maxFeePerGas })
      ).pipe(Effect.andThen(TestClock.adjust("11 seconds"))),
    offer: Effect.map(x402.list(shop), ([first]) => first)
  }
})

layerNeeding("counterparties")(Chain.layer)("gas for settlements", (it) => {
  it.effect("that is short ends the offers and the sales, not what was paid before", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const { chain, leave, offer, settler, x402 } = yield* open
      const [accepts] = (yield* offer)?.offer?.accepts ?? []
      if (accepts === undefined) return assert.fail("no offer")
      const payer = yield* chain.payer(5_000_000n)
      const paid = yield* Effect.promise(() => sign(payer, accepts))
      const pay = (header: string | undefined) =>
        x402.pay("depin_provenance", shop, header === undefined ? undefined : { version: 2, header })
      const header = encode(payloadOf(paid, accepts, {}))
      assert.isTrue((yield* pay(header)).settlement.success)

      yield* leave(5n)
      assert.include(yield* settler.unfunded, "less than that of 20 of them")
      const listed = yield* offer
      assert.isUndefined(listed?.offer)
      assert.include(listed?.reason ?? "", "no payment can be settled now")
      assert.include((yield* x402.closed) ?? "", "less than that of 20")
      assert.strictEqual((yield* Effect.flip(pay(undefined)))._tag, "SettlementUnavailable")
      const later = encode(payloadOf(yield* Effect.promise(() => sign(payer, accepts)), accepts, {}))
      const refused = yield* Effect.flip(pay(later))
      assert.strictEqual(refused._tag, "SettlementUnavailable")
      assert.isTrue((yield* pay(header)).settlement.success)

      yield* leave(100n)
      assert.isTrue((yield* pay(later)).settlement.success)
    }).pipe(Effect.scoped)
  )

  it.effect("that cannot be read for a minute counts as short", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      const { leave, proxy, settler } = yield* open
      yield* leave(100n)
      assert.isUndefined(yield* settler.unfunded)
      proxy.loseQuestions.add("eth_getBalance")
      yield* TestClock.adjust("11 seconds")
      assert.isUndefined(yield* settler.unfunded)
      yield* TestClock.adjust("1 minute")
      assert.include(yield* settler.unfunded, "the chain cannot be asked")
    }).pipe(Effect.scoped)
  )
})
