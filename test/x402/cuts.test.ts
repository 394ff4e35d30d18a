/**
 * A sale cut between any two of its statements, against a chain of the test's own making: on both engines, whatever it is
 * cut in and however the settlement goes, what came is booked once, and who sends the same header again gets the data
 * or an answer that is true.
 */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Exit } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { Ledger } from "../../core/credits/Ledger.ts"
import type { Product } from "../../core/credits/Product.ts"
import {
  type Outcome,
  type Payment,
  type Settler,
  SettlerUnavailable
} from "../../core/credits/x402/Settler.ts"
import { X402 } from "../../core/credits/x402/X402.ts"
import { credits } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"
import { cutAt } from "../support/faults.ts"
import { encode, named } from "../support/payments.ts"

const products: ReadonlyArray<Product> = [
  { key: "depin_provenance", build: ({ id }) => Effect.succeed({ id }) }
]

const terms = {
  network: "eip155:8453",
  networkV1: "base",
  asset: `0x${"aa".repeat(20)}`,
  payTo: `0x${"bb".repeat(20)}`,
  domain: { name: "USD Coin", version: "2" }
}

/** How a settlement goes. */
type Way = "settles" | "settles and is not heard of" | "fails" | "is never sent"

const ways: ReadonlyArray<Way> = ["settles", "settles and is not heard of", "fails", "is never sent"]

const makeChain = () => {
  const moved = new Map<string, number>()
  const failed = new Set<string>()
  const state: { way: Way } = { way: "settles" }
  const hash = (nonce: string) => `0x${nonce.slice(2).replaceAll(/./g, "c")}`
  const look = ({ authorization: { nonce } }: Payment): Outcome =>
    moved.has(nonce)
      ? { kind: "settled", transaction: hash(nonce) }
      : failed.has(nonce)
        ? { kind: "failed", reason: "invalid_transaction_state", message: "It was reverted." }
        : { kind: "unknown" }
  const settler: Settler = {
    terms: Effect.succeed(terms),
    verify: () => Effect.succeed({ since: 0n }),
    settle: Effect.fnUntraced(function* (payment, _since, sending) {
      const { nonce } = payment.authorization
      if (state.way === "is never sent") return yield* new SettlerUnavailable({ message: "no chain" })
      yield* sending({ transaction: hash(nonce), raw: "0x00" })
      if (state.way === "fails") failed.add(nonce)
      else moved.set(nonce, (moved.get(nonce) ?? 0) + 1)
      return state.way === "settles and is not heard of" ? ({ kind: "unknown" } as const) : look(payment)
    }),
    follow: (payment) => Effect.sync(() => look(payment)),
    standing: () => Effect.succeed("included")
  }
  return { settler, moved, failed, state }
}

let nonces = 0

onBothEngines("a sale that is cut", (database) => {
  const chain = makeChain()
  layer(credits(database, products, { settler: chain.settler }))((it) => {
    it.effect.each(ways)("and %s is booked as it went", (way) =>
      Effect.gen(function* () {
        const x402 = yield* X402
        const sql = yield* SqlClient.SqlClient
        const ledger = yield* Ledger
        // One more than a sale has statements: the last run is whole.
        let cuts = 0
        for (let at = 0; at < 16; at++) {
          const nonce = `0x${(++nonces).toString(16).padStart(64, "0")}`
          const [offer] = (yield* x402.list("https://shop.test"))[0]?.offer?.accepts ?? []
          const header = encode({
            x402Version: 2,
            accepted: offer,
            payload: {
              signature: "0x00",
              authorization: {
                // A payer of its own: one whose settlements fail is not served for an hour.
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
          const buy = x402.pay("depin_provenance", "https://shop.test", { version: 2, header })
          const booked = Effect.map(
            sql`select p.id from posting p join x402_sale s on s.id = p.reference where s.nonce = ${nonce}`,
            (rows) => rows.length
          )
          chain.state.way = way
          const first = yield* Effect.exit(cutAt(at)(buy))
          if (JSON.stringify(first).includes("Fault")) cuts++
          // The driver may be gone, so its lease has to run out.
          yield* TestClock.adjust("2 minutes")
          yield* x402.complete
          assert.isAtMost(yield* booked, chain.moved.has(nonce) ? 1 : 0)

          if (!chain.failed.has(nonce)) chain.state.way = "settles"
          const again = yield* Effect.exit(buy)
          yield* TestClock.adjust("2 minutes")
          const last = yield* Effect.exit(buy)
          if (chain.failed.has(nonce)) {
            assert.isTrue(Exit.isFailure(last))
            assert.strictEqual(yield* booked, 0)
          } else {
            assert.isTrue(Exit.isSuccess(again), `${way}, cut at ${at}`)
            assert.deepStrictEqual(last, again)
            if (Exit.isSuccess(first)) assert.deepStrictEqual(first, again)
            assert.strictEqual(yield* booked, 1)
            assert.strictEqual(chain.moved.get(nonce), 1)
          }
        }
        // Otherwise nothing was cut, and nothing shown.
        assert.isAtLeast(cuts, 5)
        assert.isTrue((yield* ledger.check).ok)
      })
    )
  })
})
