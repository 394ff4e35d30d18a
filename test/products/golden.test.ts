/** Each product made from the plugins' fixtures, against what is kept; `npx vitest -u` keeps anew, and the diff is read. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import type { ProductKey } from "../../core/credits/pricing.ts"
import { products } from "../../core/products/all.ts"
import { payloads } from "../../core/products/payloads.ts"
import { fixtureNow, fixtureServices, givenFixtures, storeBars } from "../support/fixtureRows.ts"

const order = { id: "pur_test", inputs: {} }

/** Their payloads are long lists of what the fixtures hold themselves. */
const long: ReadonlySet<ProductKey> = new Set([
  "depin_networks",
  "depin_provenance",
  "depin_enrichment",
  "depin_intel_bundle"
])

/** What the fixtures hold nothing for: tests of their own make them. */
const unfed: ReadonlySet<ProductKey> = new Set(["depin_history", "geo_concentration"])

layer(fixtureServices)("products on the fixtures", (it) => {
  it.effect("are made as kept, in the form that is described", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* givenFixtures()
      yield* storeBars
      for (const product of yield* products) {
        if (unfed.has(product.key)) continue
        const made = yield* product.build(order)
        const schema = payloads[product.key] ?? Schema.Never
        const decoded = Schema.decodeUnknownExit(schema, { onExcessProperty: "error" })(made)
        assert.isTrue(decoded._tag === "Success", `${product.key}: ${JSON.stringify(decoded).slice(0, 2000)}`)
        if (long.has(product.key)) continue
        yield* Effect.promise(() =>
          expect(`${JSON.stringify(made, null, 1)}\n`).toMatchFileSnapshot(`golden/${product.key}.json`)
        )
      }
    })
  )

  it.effect("with nothing measured are not sold", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow + 30 * 86_400_000)
      yield* givenFixtures()
      for (const product of yield* products) {
        if (["depin_networks", "depin_provenance", "depin_revenue_snapshot"].includes(product.key)) continue
        if (["crypto_indicators", "lead_lag_correlations", "market_regime"].includes(product.key)) continue
        const refused = yield* Effect.flip(product.build(order))
        assert.strictEqual(refused._tag, "ProductUnavailable", product.key)
      }
    })
  )
})
