/** `depin_networks`: the whole catalog, how far each network is covered, and the market figures beside. */
import { Effect } from "effect"
import type { Product } from "../credits/Product.ts"
import type { Access } from "../data/access.ts"
import type { Current } from "../data/Current.ts"
import type { Feeds } from "../data/Feeds.ts"
import { market } from "../data/views/market.ts"
import { networks } from "../data/views/networks.ts"

const bought: Access = {
  breadth: "all",
  historyDays: null,
  note: "A purchased snapshot: every network of the catalog."
}

const methodology =
  "coverage counts the networks of each telemetry_tier; market rows are the latest accepted readings, null where a " +
  "figure is not measured. totals sum only what is measured and say over how many networks."

type MarketFigure = "market_cap_usd" | "fully_diluted_valuation_usd"

export const depinNetworks: Effect.Effect<Product, never, Current | Feeds> = Effect.gen(function* () {
  const context = yield* Effect.context<Current | Feeds>()
  const build = Effect.gen(function* () {
    const catalog = yield* networks({ access: bought })
    const rows = yield* market()
    const coverage: Record<string, number> = {}
    for (const { telemetry_tier } of catalog.networks) {
      coverage[telemetry_tier] = (coverage[telemetry_tier] ?? 0) + 1
    }
    const total = (figure: MarketFigure) => {
      const measured = rows.flatMap((row) => (row[figure] === null ? [] : [row[figure]]))
      return {
        // Nothing measured is no total, and not a total of 0.
        usd: measured.length === 0 ? null : measured.reduce((sum, value) => sum + value, 0),
        n_networks: measured.length
      }
    }
    return {
      ...catalog,
      coverage,
      market: {
        totals: {
          market_cap_usd: total("market_cap_usd"),
          fully_diluted_valuation_usd: total("fully_diluted_valuation_usd")
        },
        rows
      },
      methodology
    }
  })
  return {
    key: "depin_networks",
    build: () => build.pipe(Effect.provide(context), Effect.catchTag("BadParameter", Effect.die))
  }
})
