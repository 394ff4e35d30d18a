/**
 * Figures are the same as if values of unconfirmed feeds were not there, and say which they leave out. What lists values has
 * them all the same, marked.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { dailyChanges } from "../../core/products/changes/build.ts"
import { compare } from "../../core/products/compare/build.ts"
import { competitiveLandscape } from "../../core/products/competitive_landscape/build.ts"
import { dailyCorrelations } from "../../core/products/correlations/build.ts"
import { aiIntel } from "../../core/products/depin_ai_intel/build.ts"
import { enrichment } from "../../core/products/depin_enrichment/build.ts"
import { revenueSnapshot } from "../../core/products/depin_revenue_snapshot/build.ts"
import { devVelocity } from "../../core/products/dev_velocity/build.ts"
import { dilutionRisk } from "../../core/products/dilution_risk_map/build.ts"
import { divergence } from "../../core/products/divergence/build.ts"
import { geoConcentration } from "../../core/products/geo_concentration/build.ts"
import { gpuSupplyDemand } from "../../core/products/gpu_supply_demand/build.ts"
import { nodeQuality } from "../../core/products/node_quality_score/build.ts"
import { sectorHealth } from "../../core/products/sector_health_index/build.ts"
import type { LatestRow } from "../../core/readings/read/Current.ts"
import { market } from "../../core/readings/read/market.ts"
import { latest, noon, services, setSnapshot, storeDaily, storeSeries } from "../support/views.ts"

/** What each product reads of a network: a figure of every kind. */
const metrics = {
  market_cap_usd: ["usd", 100],
  fully_diluted_valuation_usd: ["usd", 300],
  volume_24h_usd: ["usd", 10],
  price_change_30d_pct: ["pct", 3],
  fees_24h_usd: ["usd", 5],
  fees_30d_usd: ["usd", 70],
  dev_days_since_push: ["count", 2],
  dev_stars: ["count", 9],
  TOTAL_NODES: ["count", 50],
  nodes_online: ["count", 40],
  nodes_country_DE: ["count", 30],
  nodes_country_FR: ["count", 10],
  registered_gpu_count: ["count", 8],
  gpu_in_use: ["count", 4],
  gpu_allocatable_h100: ["count", 6],
  gpu_allocated_h100: ["count", 3]
} as const

const rowsOf = (symbol: string, scale: number, over: Partial<LatestRow> = {}) =>
  Object.entries(metrics).map(([metric, [unit, value]]) =>
    latest({ symbol, metric, unit, value: value * scale, ...over })
  )

/** The figures of each product, with what it leaves out. */
const figures: Readonly<
  Record<
    string,
    Effect.Effect<{ readonly left_out?: ReadonlyArray<unknown> }, unknown, Layer.Success<typeof services>>
  >
> = {
  compare: compare("nodes_online"),
  competitiveLandscape,
  devVelocity,
  dilutionRisk,
  divergence,
  geoConcentration,
  gpuSupplyDemand,
  nodeQuality,
  sectorHealth,
  aiIntel
}

layer(services)("figures beside an unconfirmed feed", (it) => {
  for (const [name, figure] of Object.entries(figures)) {
    it.effect(`${name} is the same as without its values, and names them`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        yield* setSnapshot(...rowsOf("FIL", 1))
        const without = yield* figure
        assert.isFalse(Object.hasOwn(without, "left_out"))
        yield* setSnapshot(...rowsOf("FIL", 1), ...rowsOf("STORJ", 2, { plugin: "young", unconfirmed: true }))
        const { left_out = [], ...beside } = yield* figure
        assert.deepStrictEqual(beside, without)
        assert.isNotEmpty(left_out)
        for (const one of left_out) assert.deepInclude(one, { symbol: "STORJ", reason: "unconfirmed" })
        yield* setSnapshot(...rowsOf("FIL", 1), ...rowsOf("STORJ", 2))
        const { left_out: none, ...confirmed } = yield* figure
        assert.isUndefined(none)
        if (name !== "divergence") assert.notDeepEqual(confirmed, without)
      })
    )
  }

  it.effect("lists have the values, marked, and their totals do not count them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(...rowsOf("FIL", 1), ...rowsOf("STORJ", 2, { plugin: "young", unconfirmed: true }))
      const { records } = yield* enrichment
      const marked = records.filter(({ unconfirmed }) => unconfirmed)
      assert.lengthOf(marked, Object.keys(metrics).length)
      const { left_out, networks, totals } = yield* revenueSnapshot
      assert.deepStrictEqual(
        networks.map(({ fees_24h_usd, symbol, unconfirmed }) => [symbol, fees_24h_usd, unconfirmed]),
        [
          ["FIL", 5, undefined],
          ["STORJ", 10, true]
        ]
      )
      assert.deepStrictEqual(totals["fees_24h_usd"], { usd: 5, n_networks: 1 })
      assert.lengthOf(left_out ?? [], 2)
      const caps = yield* market()
      assert.deepStrictEqual(
        caps.map(({ symbol, unconfirmed }) => [symbol, unconfirmed]),
        [
          ["FIL", undefined],
          ["STORJ", true]
        ]
      )
    })
  )

  it.effect("changes and correlations leave their days out", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const prices = {
        metric: "price_usd",
        unit: "usd",
        plugin: "market",
        source: "feed_m",
        tier: "market"
      } as const
      for (const symbol of ["FIL", "STORJ"]) {
        const series = yield* storeSeries({ ...prices, symbol })
        yield* storeDaily(
          series,
          Array.from({ length: 20 }, (_, n) => ({
            date: new Date(noon - n * 86_400_000).toISOString().slice(0, 10),
            value: 1 + ((n * 7) % 5)
          }))
        )
      }
      const snapshot = (unconfirmed: boolean) =>
        setSnapshot(
          latest({ ...prices, symbol: "FIL", value: 1 }),
          latest({ ...prices, symbol: "STORJ", value: 1, unconfirmed })
        )
      yield* snapshot(false)
      assert.lengthOf((yield* dailyChanges).changes, 2)
      assert.strictEqual((yield* dailyCorrelations).n_networks, 2)
      yield* snapshot(true)
      const { changes, left_out } = yield* dailyChanges
      assert.deepStrictEqual(
        changes.map(({ symbol }) => symbol),
        ["FIL"]
      )
      assert.deepStrictEqual(left_out, [
        { symbol: "STORJ", metric: "price_usd", source: "feed_m", reason: "unconfirmed" }
      ])
      assert.strictEqual((yield* dailyCorrelations).n_networks, 1)
    })
  )
})
