/** Settlement through a facilitator: the public package's own, as it should be and as it should not. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Ledger } from "../../core/credits/Ledger.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import * as Facilitator from "../../runtime/outside/x402/facilitator.ts"
import { Chain, usdc } from "../support/base.ts"
import { credits } from "../support/credits.ts"
import { postgres } from "../support/database.ts"
import { layerNeeding } from "../support/layerNeeding.ts"
import { encode, payloadOf, sign } from "../support/payments.ts"
import { merchant, products } from "../support/shop.ts"
import { facilitatorService, type Manner } from "./x402.ts"

const open = Effect.gen(function* () {
  const chain = yield* Chain
  const { payTo } = yield* merchant
  const { state, url } = yield* facilitatorService(chain.rpcUrl)
  const { settler } = Facilitator.make({
    rpcUrl: chain.rpcUrl,
    chainId: 8453,
    asset: usdc,
    payTo,
    url,
    waits: { every: "20 millis", times: 4 }
  })
  const context = yield* Layer.build(credits(postgres, products, { settler }))
  const { x402, sql, ledger } = yield* Effect.all({
    x402: X402,
    sql: SqlClient.SqlClient,
    ledger: Ledger
  }).pipe(Effect.provide(context))
  const [offer] = (yield* x402.list("https://shop.test"))[0]?.offer?.accepts ?? []
  if (offer === undefined) return yield* Effect.die(new Error("no offer"))
  const payer = yield* chain.payer(1_000_000n)
  const header = encode(payloadOf(yield* Effect.promise(() => sign(payer, offer)), offer))
  return {
    state,
    x402,
    abandon: sql`update x402_sale set lease_until = '2000-01-01'`,
    buy: x402.pay("depin_provenance", "https://shop.test", { version: 2, header }),
    takings: Effect.gen(function* () {
      assert.isTrue((yield* ledger.check).ok)
      const [row] = yield* sql<{ sum: bigint | null }>`
        select sum(amount)::bigint as sum from ledger_entry where account = 'sales'`
      return { booked: row?.sum ?? 0n, came: yield* chain.balance(payTo) }
    })
  }
})

const sold = { booked: 490_000n, came: 490_000n }

layerNeeding("counterparties")(Chain.layer, { excludeTestServices: true })("a facilitator", (it) => {
  it.effect.each<Manner>(["honest", "silent", "denying"])(
    "that is %s settles once, and the chain is believed",
    (manner) =>
      Effect.gen(function* () {
        const { buy, state, takings } = yield* open
        state.manner = manner
        const first = yield* buy
        const again = yield* buy
        assert.deepStrictEqual(again, first)
        assert.isTrue(first.settlement.success)
        assert.strictEqual(state.settled, 1)
        assert.deepStrictEqual(yield* takings, sold)
      }).pipe(Effect.scoped)
  )

  it.effect.each<Manner>(["boasting", "broken"])(
    "that is %s gets no data out of us before the chain says that it was paid",
    (manner) =>
      Effect.gen(function* () {
        const { abandon, buy, state, takings, x402 } = yield* open
        state.manner = manner
        const pending = yield* Effect.flip(buy)
        assert.strictEqual(pending._tag, "SettlementPending")
        yield* x402.complete
        assert.deepStrictEqual(yield* takings, { booked: 0n, came: 0n })
        if (manner === "boasting") return
        state.manner = "honest"
        yield* abandon
        yield* buy.pipe(Effect.retry({ times: 3 }))
        assert.deepStrictEqual(yield* takings, sold)
        assert.strictEqual(state.settled, 1)
      }).pipe(Effect.scoped)
  )
})
