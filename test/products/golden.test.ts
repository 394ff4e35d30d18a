/** Each product made from the plugins' fixtures, against what is kept; `npx vitest -u` keeps anew, and the diff is read. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import { products } from "../../core/products/builds.ts"
import { competitiveLandscape } from "../../core/products/competitive_landscape/build.ts"
import { devVelocity } from "../../core/products/dev_velocity/build.ts"
import { dilutionRisk } from "../../core/products/dilution_risk_map/build.ts"
import { gpuSupplyDemand } from "../../core/products/gpu_supply_demand/build.ts"
import { type ProductKey, productOf } from "../../core/products/index.ts"
import { nodeQuality } from "../../core/products/node_quality_score/build.ts"
import { sectorHealth } from "../../core/products/sector_health_index/build.ts"
import { fixtureNow, fixtureServices, setFixtureSnapshot, storeBars } from "../support/fixtureRows.ts"
import { layerPermitted } from "../support/permissions.ts"

const order = { id: "pur_test", inputs: {} }

const allPermitted = layerPermitted(["akash", "akash-providers", "coingecko", "defillama"], ["sell", "bulk"])

/** Long lists of what the fixtures hold themselves, and what changes with each network that the catalog gains. */
const long: ReadonlySet<ProductKey> = new Set([
  "depin_networks",
  "depin_provenance",
  "competitive_landscape",
  "depin_enrichment",
  "depin_intel_bundle",
  "sector_health_index"
])

/** What the fixtures hold nothing for: tests of their own make them. */
const unfed: ReadonlySet<ProductKey> = new Set(["depin_history", "derivation_replay", "signal_ledger"])

// Whole, as if every source let its values be sold: test/products/rights.test.ts has what they are without.
layer(fixtureServices.pipe(Layer.provideMerge(allPermitted)))("products on the fixtures", (it) => {
  it.effect("are made as kept, in the form that is described", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setFixtureSnapshot()
      yield* storeBars
      for (const product of yield* products) {
        if (unfed.has(product.key)) continue
        const payload = yield* product.build(order)
        const schema = productOf(product.key).schema ?? Schema.Never
        const decoded = Schema.decodeUnknownExit(schema, { onExcessProperty: "error" })(payload)
        assert.isTrue(decoded._tag === "Success", `${product.key}: ${JSON.stringify(decoded).slice(0, 2000)}`)
        if (long.has(product.key)) continue
        yield* Effect.promise(() =>
          expect(`${JSON.stringify(payload, null, 1)}\n`).toMatchFileSnapshot(`golden/${product.key}.json`)
        )
      }
    })
  )

  it.effect("shares and indices are those of their own rows", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setFixtureSnapshot()
      const { categories } = yield* competitiveLandscape
      const measured = categories.filter(({ n_measured }) => n_measured > 0)
      assert.isAbove(measured.length, 2)
      for (const { hhi, market_cap_usd, missing_fields, n_measured, n_networks, networks } of measured) {
        assert.strictEqual(missing_fields.length + n_measured, n_networks)
        const caps = networks.map((row) => row.market_cap_usd ?? Number.NaN)
        const sum = caps.reduce((total, cap) => total + cap, 0)
        assert.closeTo(market_cap_usd ?? 0, sum, sum * 1e-12)
        const squares = caps.map((cap) => ((100 * cap) / sum) ** 2)
        assert.closeTo(
          hhi ?? 0,
          squares.reduce((total, square) => total + square, 0),
          1e-6
        )
      }
      for (const { components, health_index, missing_fields } of (yield* sectorHealth).categories) {
        const absent = components.filter(({ value }) => value === null).map(({ name }) => name)
        assert.deepStrictEqual(missing_fields, absent)
        if (absent.length > 0) assert.isNull(health_index)
        else {
          const sum = components.reduce((total, { value, weight }) => total + weight * (value ?? 0), 0)
          assert.closeTo(health_index ?? -1, 100 * sum, 1e-9)
        }
      }
    })
  )

  it.effect("an input that is not measured gives null and is named", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow)
      yield* setFixtureSnapshot("market_cap_usd", "nodes_online", "dev_days_since_push", "gpu_in_use")
      const { networks: dilution } = yield* dilutionRisk
      assert.isAbove(dilution.length, 0)
      for (const row of dilution) {
        assert.isNull(row.fdv_to_market_cap)
        assert.isNull(row.dilution_class)
        assert.deepStrictEqual(row.missing_fields, ["market_cap_usd"])
      }
      const { networks: nodes } = yield* nodeQuality
      const storj = nodes.find(({ symbol }) => symbol === "STORJ")
      assert.isNull(storj?.quality_adjusted_nodes)
      assert.deepStrictEqual(storj?.missing_fields, ["nodes_online"])
      for (const row of (yield* devVelocity).networks) {
        assert.isNull(row.status)
        assert.include(row.missing_fields, "dev_days_since_push")
      }
      const [akt] = (yield* gpuSupplyDemand).networks.filter(({ symbol }) => symbol === "AKT")
      assert.isNull(akt?.in_use)
      assert.isNull(akt?.utilisation)
      assert.include(akt?.missing_fields ?? [], "gpu_in_use")
    })
  )

  it.effect("with nothing measured are not sold", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(fixtureNow + 30 * 86_400_000)
      yield* setFixtureSnapshot()
      for (const product of yield* products) {
        if (["depin_networks", "depin_provenance", "depin_revenue_snapshot"].includes(product.key)) continue
        if (["crypto_indicators", "lead_lag_correlations", "market_regime"].includes(product.key)) continue
        // A key needs no measurement.
        if (product.key === "dag_manifold_30d") continue
        const refused = yield* Effect.flip(product.build(order))
        const tag = product.key === "derivation_replay" ? "NotForResale" : "ProductUnavailable"
        assert.strictEqual(refused._tag, tag, product.key)
      }
    })
  )
})
