import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { market } from "../../../core/readings/read/market.ts"
import { revenue } from "../../../core/readings/read/revenue.ts"
import { MarketResponse } from "../../../core/wire/data/market.ts"
import { RevenueResponse } from "../../../core/wire/data/revenue.ts"
import { latest, noon, services, setSnapshot } from "../../support/views.ts"

const usd = (metric: string, value: number, source = "feed_m", age = 0) =>
  latest({
    metric,
    value,
    source,
    plugin: "market",
    tier: "market",
    unit: "usd",
    verify_url: `https://${source}.example.net/`,
    as_of: new Date(noon - age)
  })

layer(services)((it) => {
  it.effect("a market row has its fields, null where unmeasured, and the oldest time of those measured", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        usd("price_usd", 2),
        usd("market_cap_usd", 0, "feed_m", 60_000),
        usd("volume_24h_usd", 5, "feed_m", 90_000)
      )
      const rows = yield* market()
      yield* Schema.decodeUnknownEffect(MarketResponse)(rows)
      assert.deepStrictEqual(rows, [
        {
          symbol: "FIL",
          price_usd: 2,
          market_cap_usd: 0,
          fully_diluted_valuation_usd: null,
          verify_url: "https://feed_m.example.net/",
          source: "feed_m",
          as_of: "2026-09-05T11:59:00Z"
        }
      ])
    })
  )

  it.effect("a network with none of the fields has no row; rows are sorted and paged by symbol", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const of = (symbol: string, metric = "price_usd") => latest({ ...usd(metric, 1), symbol })
      yield* setSnapshot(of("STORJ"), of("AKT"), of("FIL"), of("HNT", "volume_24h_usd"))
      const symbols = (rows: MarketResponse) => rows.map(({ symbol }) => symbol)
      assert.deepStrictEqual(symbols(yield* market()), ["AKT", "FIL", "STORJ"])
      assert.deepStrictEqual(symbols(yield* market({ limit: "2" })), ["AKT", "FIL"])
      assert.deepStrictEqual(symbols(yield* market({ limit: "2", cursor: "FIL" })), ["STORJ"])
      assert.strictEqual((yield* Effect.flip(market({ limit: "many" }))).field, "limit")
    })
  )

  it.effect("a field of another source is named with its own provenance", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        usd("price_usd", 2, "feed_old", 9000),
        usd("price_usd", 3, "feed_m", 1000),
        usd("market_cap_usd", 30, "feed_m", 1000),
        usd("fully_diluted_valuation_usd", 40, "feed_dex", 5000)
      )
      const [row] = yield* market()
      assert.deepStrictEqual([row?.price_usd, row?.source, row?.as_of], [3, "feed_m", "2026-09-05T11:59:55Z"])
      assert.deepStrictEqual(row?.field_sources, {
        fully_diluted_valuation_usd: {
          source: "feed_dex",
          verify_url: "https://feed_dex.example.net/",
          as_of: "2026-09-05T11:59:55Z"
        }
      })
    })
  )

  it.effect("revenue serves a measured 0 as 0 and what is unmeasured as null", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* setSnapshot(
        usd("fees_24h_usd", 0),
        usd("tvl_usd", 12.5),
        latest({ ...usd("price_usd", 1), symbol: "AKT" })
      )
      const rows = yield* revenue()
      yield* Schema.decodeUnknownEffect(RevenueResponse)(rows)
      assert.deepStrictEqual(rows, [
        {
          symbol: "FIL",
          fees_24h_usd: 0,
          fees_7d_usd: null,
          fees_30d_usd: null,
          tvl_usd: 12.5,
          verify_url: "https://feed_m.example.net/",
          source: "feed_m",
          as_of: "2026-09-05T12:00:00Z"
        }
      ])
    })
  )
})
