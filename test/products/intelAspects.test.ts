/** What the analyses say of a network's own series, on a small history whose figures were worked out by hand. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { aiIntel } from "../../core/products/depin_ai_intel/build.ts"
import { AiIntel } from "../../core/products/depin_ai_intel/definition.ts"
import {
  clearRecentDays,
  latest,
  noon,
  services,
  setSnapshot,
  storeDaily,
  storeSeries
} from "../support/views.ts"

const market = { tier: "market", source: "feed_m", unit: "usd" } as const

/** Three networks: one with every aspect, one with the same metric and other figures, one with a price alone. */
const seedHistory = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate daily, series, batch cascade`
  yield* sql`
    insert into batch (day, cut_off, claimed_by, claimed_until, closed_at)
    values ('2026-09-04', ${new Date(noon)}, 'test', ${new Date(noon)}, ${new Date(noon)})`
  yield* TestClock.setTime(noon)
  const nodes = yield* storeSeries({ symbol: "FIL" })
  yield* storeDaily(nodes, [
    { date: "2026-09-01", value: 800 },
    { date: "2026-09-03", value: 880 },
    { date: "2026-09-04", value: 900 },
    // Not closed, so it is not said.
    { date: "2026-09-05", value: 10 }
  ])
  const fees = yield* storeSeries({ symbol: "FIL", metric: "fees_24h_usd", ...market })
  yield* storeDaily(fees, [
    { date: "2026-09-02", value: 500 },
    { date: "2026-09-04", value: 400 }
  ])
  const others = yield* storeSeries({ symbol: "STORJ" })
  yield* storeDaily(others, [
    { date: "2026-09-03", value: 50 },
    { date: "2026-09-04", value: 40 }
  ])
  yield* setSnapshot(
    latest({ value: 900 }),
    latest({ metric: "STORAGE_TOTAL_BYTES", value: 1000 }),
    latest({ metric: "STORAGE_USED_BYTES", value: 250 }),
    latest({ metric: "nodes_country_DE", value: 30 }),
    latest({ metric: "nodes_country_FR", value: 70 }),
    latest({ metric: "fees_24h_usd", value: 400, ...market }),
    latest({ metric: "market_cap_usd", value: 2000, ...market }),
    latest({ metric: "volume_24h_usd", value: 30, ...market }),
    latest({ metric: "dev_stars", value: 12, source: "feed_d", tier: "developer" }),
    latest({ metric: "dev_days_since_push", value: 3, source: "feed_d", tier: "developer" }),
    latest({ symbol: "STORJ", value: 40 }),
    latest({ symbol: "AKT", metric: "market_cap_usd", value: 10, ...market })
  )
  yield* clearRecentDays
})

layer(services)("the aspects of an analysis", (it) => {
  it.effect("are said of each network from its own series, with figures, days and proofs", () =>
    Effect.gen(function* () {
      yield* seedHistory
      const intel = yield* aiIntel
      const decoded = Schema.decodeUnknownExit(AiIntel, { onExcessProperty: "error" })(intel)
      assert.strictEqual(decoded._tag, "Success")
      const [fil, storj, akt] = ["FIL", "STORJ", "AKT"].map((symbol) =>
        intel.networks.find((row) => row.symbol === symbol)
      )
      const aspectTexts = (kind: "thesis" | "moat" | "risk", of: typeof fil) =>
        of?.[kind].flatMap(({ aspect, text }) => (aspect === undefined ? [] : [`${aspect}: ${text}`]))
      assert.deepStrictEqual(aspectTexts("thesis", fil), [
        "growth: nodes_online grew from 800 (2026-09-01) to 900 (2026-09-04), +12.5 percent, over 3 closed days.",
        "development: Its repositories have 12 stars; the last push was 3 days ago.",
        "trading: 30 US dollars were traded in 24 hours, 1.5 percent of the market capitalisation of 2,000."
      ])
      assert.deepStrictEqual(aspectTexts("moat", fil), [])
      assert.deepStrictEqual(aspectTexts("risk", fil), [
        "utilisation: STORAGE_USED_BYTES is 250 of 1,000 STORAGE_TOTAL_BYTES: 25 percent.",
        "concentration: FR has 70 percent of its 100 placed nodes in 2 countries; the Herfindahl-Hirschman index is 5,800.",
        "revenue: fees_24h_usd fell from 500 (2026-09-02) to 400 (2026-09-04), -20 percent, over 2 closed days."
      ])
      assert.deepStrictEqual(fil?.missing_aspects, [])
      assert.deepStrictEqual(aspectTexts("risk", storj), [
        "growth: nodes_online fell from 50 (2026-09-03) to 40 (2026-09-04), -20 percent, over 2 closed days."
      ])
      assert.isTrue(storj?.missing_aspects.includes("revenue"))
      assert.deepStrictEqual(aspectTexts("thesis", akt), [])
      const growth = fil?.thesis.find(({ aspect }) => aspect === "growth")
      assert.deepStrictEqual(
        growth?.cites.map(({ proof, value }) => [value, proof]),
        [
          [800, "20260901"],
          [900, "20260904"]
        ].map(([value, date]) => [
          value,
          `/v1/attest?symbol=FIL&metric=nodes_online&date=${date}&source=feed_a&format=bundle4`
        ])
      )
    })
  )
})
