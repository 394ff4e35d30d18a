/**
 * A sale cut between any two of its statements, against a chain of the test's own making: on both engines, whatever it is
 * cut in and however the settlement goes, what came is booked once, and who sends the same header again gets the data
 * or an answer that is true.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Exit, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Ledger } from "../../core/credits/Ledger.ts"
import type { Product } from "../../core/credits/Product.ts"
import { Sales } from "../../core/credits/x402/Sales.ts"
import type { Sale } from "../../core/credits/x402/saleRecord.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import { credits } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"
import { cutAt } from "../support/faults.ts"
import { encode, named } from "../support/payments.ts"
import { makeSettler, scenarios, terms } from "../support/settler.ts"

const products: ReadonlyArray<Product> = [
  { key: "depin_provenance", build: ({ id }) => Effect.succeed({ id }) }
]

let nonces = 0
const newNonce = () => `0x${(++nonces).toString(16).padStart(64, "0")}`

/** Buys for five minutes from now, by a payer of its own: who fails is not served for an hour. */
const buying = Effect.fnUntraced(function* (nonce: string) {
  const x402 = yield* X402
  const [offer] = (yield* x402.list("https://shop.test"))[0]?.offer?.accepts ?? []
  const header = encode({
    x402Version: 2,
    accepted: offer,
    payload: {
      signature: "0x00",
      authorization: {
        from: `0x${nonce.slice(-40)}`,
        to: terms.payTo,
        value: "490000",
        validAfter: "0",
        validBefore: String(Math.floor((yield* Clock.currentTimeMillis) / 1000) + 300),
        nonce
      }
    },
    ...named(`payment_${nonce.slice(-16)}`)
  })
  return x402.pay("depin_provenance", "https://shop.test", { version: 2, header })
})

onBothEngines("a sale that is cut", (database) => {
  const chain = makeSettler()
  const shop = credits(database, products, { settler: chain.settler })
  layer(Sales.layer.pipe(Layer.provideMerge(shop)))((it) => {
    it.effect.each(scenarios)("and %s is booked as it went", (way) =>
      Effect.gen(function* () {
        const x402 = yield* X402
        const sql = yield* SqlClient.SqlClient
        const ledger = yield* Ledger
        // One more than a sale has statements: the last run is whole.
        let cuts = 0
        for (let at = 0; at < 16; at++) {
          const nonce = newNonce()
          const buy = yield* buying(nonce)
          const booked = Effect.map(
            sql`select p.id from posting p join x402_sale s on s.id = p.reference where s.nonce = ${nonce}`,
            (rows) => rows.length
          )
          chain.scenarioOf.set(nonce, way)
          const first = yield* Effect.exit(cutAt(at)(buy))
          if (JSON.stringify(first).includes("Fault")) cuts++
          // The driver may be gone, so its lease has to run out.
          yield* TestClock.adjust("2 minutes")
          yield* x402.complete
          assert.isAtMost(yield* booked, chain.moved.has(nonce) ? 1 : 0)

          if (!chain.reverted.has(nonce)) chain.scenarioOf.delete(nonce)
          // What was lost on its way is sent anew by this one, and given by the next.
          yield* Effect.exit(buy)
          const again = yield* Effect.exit(buy)
          yield* TestClock.adjust("2 minutes")
          const last = yield* Effect.exit(buy)
          if (chain.reverted.has(nonce)) {
            assert.isTrue(Exit.isFailure(last))
            assert.strictEqual(yield* booked, 0)
          } else {
            assert.isTrue(Exit.isSuccess(again), `${way}, cut at ${at}`)
            assert.deepStrictEqual(last, again)
            if (Exit.isSuccess(first)) assert.deepStrictEqual(first, again)
            assert.strictEqual(yield* booked, 1)
            assert.isTrue(chain.moved.has(nonce))
          }
        }
        // Otherwise nothing was cut, and nothing shown.
        assert.isAtLeast(cuts, 5)
        assert.isTrue((yield* ledger.check).ok)
      })
    )

    it.effect("and has settled is not said to have failed by a driver that comes late", () =>
      Effect.gen(function* () {
        const sales = yield* Sales
        const sql = yield* SqlClient.SqlClient
        const nonce = newNonce()
        const buy = yield* buying(nonce)
        const answer = yield* buy
        const rows = sql<Sale>`select * from x402_sale where nonce = ${nonce}`
        const [settled] = yield* rows
        if (settled === undefined) return yield* Effect.die(new Error("no sale was booked"))
        assert.strictEqual(settled.state, "settled")
        const outcome = yield* sales.failed(settled.id, "invalid_transaction_state", "It was reverted.")
        // A row has columns beside the members of a sale.
        assert.deepStrictEqual({ ...settled, ...outcome }, settled)
        assert.deepStrictEqual(yield* rows, [settled])
        assert.deepStrictEqual(yield* buy, answer)
      })
    )
  })
})
