/** What was sold, in the log: one document for a day with sales, which the buyer alone can open. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { unlogSales } from "../../core/credits/commitments.ts"
import type { Product } from "../../core/credits/Product.ts"
import { Purchases } from "../../core/credits/Purchases.ts"
import { Log } from "../../core/log/Log.ts"
import { thumbprint } from "../../core/proof/keys.ts"
import { parseSaleProof, verifySaleProof } from "../../core/proof/saleProof.ts"
import { commitmentOf, commitmentsFor, parseSales } from "../../core/proof/sales.ts"
import { SalesLog } from "../../core/publications/SalesLog.ts"
import { saleProof } from "../../core/publications/saleProof.ts"
import { Current } from "../../core/readings/read/Current.ts"
import { credits, grant, register } from "../support/credits.ts"
import { onBothEngines } from "../support/database.ts"
import * as LogKeys from "../support/logKey.ts"
import * as Runs from "../support/runs.ts"

const products: ReadonlyArray<Product> = [
  { key: "depin_provenance", build: () => Effect.succeed({ same: "every time" }) }
]

interface Bought {
  readonly payload_sha256: string
  readonly commitment: { readonly salt: string; readonly sha256: string }
}

onBothEngines("the sales in the log", (database) => {
  const services = SalesLog.layer.pipe(
    Layer.provideMerge(Log.layer),
    Layer.provideMerge(Current.layer),
    Layer.provideMerge(Runs.feeds),
    Layer.provideMerge(LogKeys.layer()),
    Layer.provideMerge(credits(database, products))
  )

  layer(services)((it) => {
    const at = (time: string) => TestClock.setTime(Date.parse(time))
    const sell = Effect.gen(function* () {
      const buyer = yield* register("198.51.100.1")
      yield* grant(buyer.id, 100_000_000n, buyer.id)
      const purchases = yield* Purchases
      const bytes = yield* purchases.buy(yield* buyer.current, { product_key: "depin_provenance" })
      return JSON.parse(new TextDecoder().decode(bytes)) as Bought
    })
    const run = Effect.flatMap(SalesLog, (log) => log.run)
    const proofOf = ({ commitment }: Bought) =>
      Effect.map(saleProof(commitment.sha256), (proof) => parseSaleProof(JSON.stringify(proof)))
    const documents = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{
        body: string
      }>`select body from document where kind = 'sales' order by subject`
      return rows.map(({ body }) => parseSales(body))
    })
    const trust = { pins: [thumbprint(LogKeys.publicKey)] }

    it.effect("have one document for a day with sales, once the day is over", () =>
      Effect.gen(function* () {
        yield* at("2026-09-05T12:00:00Z")
        assert.deepStrictEqual(yield* run, [])
        const [first, second] = [yield* sell, yield* sell]
        yield* at("2026-09-06T00:59:59Z")
        assert.deepStrictEqual(yield* run, [])
        assert.match(
          (yield* Effect.flip(saleProof(first.commitment.sha256))).message,
          /not in the log|no sale/
        )
        yield* at("2026-09-06T01:00:00Z")
        const next = yield* sell
        assert.deepStrictEqual(yield* run, ["2026-09-05"])
        assert.deepStrictEqual(yield* run, [])
        // No sale on the seventh: no document.
        yield* at("2026-09-08T12:00:00Z")
        assert.deepStrictEqual(yield* run, ["2026-09-06"])
        const all = yield* documents
        assert.deepStrictEqual(
          all.map(({ day, tree_size }) => [day, tree_size]),
          [
            ["2026-09-05", 16],
            ["2026-09-06", 16]
          ]
        )
        // One payload, sold twice: nobody can tell.
        assert.strictEqual(first.payload_sha256, second.payload_sha256)
        assert.notStrictEqual(first.commitment.sha256, second.commitment.sha256)
        for (const one of [first, second, next]) {
          const { salt, sha256 } = one.commitment
          assert.strictEqual(sha256, commitmentOf(salt, one.payload_sha256))
          const checks = verifySaleProof(yield* proofOf(one), sha256, trust)
          assert.deepStrictEqual(
            checks.filter(({ ok }) => ok !== true).map(({ name }) => name),
            ["timestamp"]
          )
        }
      })
    )

    it.effect("are in the next document if they were completed after that of their day", () =>
      Effect.gen(function* () {
        yield* at("2026-09-09T12:00:00Z")
        yield* sell
        yield* at("2026-09-10T02:00:00Z")
        assert.deepStrictEqual(yield* run, ["2026-09-09"])
        yield* at("2026-09-09T23:59:59Z")
        const late = yield* sell
        yield* at("2026-09-10T03:00:00Z")
        assert.deepStrictEqual(yield* run, [])
        yield* at("2026-09-11T01:00:00Z")
        assert.deepStrictEqual(yield* run, ["2026-09-10"])
        assert.strictEqual(parseSales((yield* proofOf(late)).document).day, "2026-09-10")
      })
    )

    it.effect("are proved by their own proof alone", () =>
      Effect.gen(function* () {
        yield* at("2026-09-12T12:00:00Z")
        const [one, other] = [yield* sell, yield* sell]
        yield* at("2026-09-13T12:00:00Z")
        yield* run
        const [proof, another] = [yield* proofOf(one), yield* proofOf(other)]
        const { sha256 } = one.commitment
        const failing = (changed: typeof proof, commitment = sha256) =>
          verifySaleProof(changed, commitment, trust)
            .filter(({ ok }) => ok === false)
            .map(({ name }) => name)
        assert.deepStrictEqual(failing(proof), [])
        assert.deepStrictEqual(failing(another), ["sales of the day"])
        assert.deepStrictEqual(failing({ ...another, commitment: sha256 }), ["sales of the day"])
        assert.deepStrictEqual(failing({ ...proof, tree: another.tree }), ["sales of the day"])
        // A salt that was invented: the commitment to the payload is another one.
        assert.deepStrictEqual(failing(proof, commitmentOf("00".repeat(32), one.payload_sha256)), [
          "sales of the day"
        ])
        const document = proof.document.replace("2026-09-12", "2026-09-11")
        assert.deepStrictEqual(failing({ ...proof, document }), ["sales of the day"])
        const entry = proof.entry.replace("2026-09-12", "2026-09-11")
        assert.deepStrictEqual(failing({ ...proof, document, entry }), ["sales of the day", "sales in log"])
      })
    )

    it.effect("are logged anew where the log begins anew", () =>
      Effect.gen(function* () {
        yield* at("2026-09-14T12:00:00Z")
        const sale = yield* sell
        yield* at("2026-09-15T12:00:00Z")
        assert.deepStrictEqual(yield* run, ["2026-09-14"])
        const sql = yield* SqlClient.SqlClient
        yield* unlogSales
        yield* sql`delete from document where kind = 'sales'`
        assert.match((yield* Effect.flip(saleProof(sale.commitment.sha256))).message, /no sale/)
        assert.include(yield* run, "2026-09-14")
        assert.strictEqual(parseSales((yield* proofOf(sale)).document).day, "2026-09-14")
      })
    )

    it.effect("leave nothing in the log by which they could be counted", () =>
      Effect.sync(() => {
        assert.deepStrictEqual([1, 16, 17, 32, 33, 1000].map(commitmentsFor), [16, 16, 32, 32, 64, 1024])
      })
    )
  })
})
