/** `depin_networks`: the full catalog, the coverage of each network, and its market figures. */
import { Effect } from "effect"
import { isDepin, referenceSymbols } from "../catalog/Catalog.ts"
import type { Product } from "../credits/Product.ts"
import type { Feeds } from "../data/Feeds.ts"
import type { Access } from "../data/read/Access.ts"
import type { Current } from "../data/read/Current.ts"
import { market } from "../data/read/market.ts"
import { networks } from "../data/read/networks.ts"
import type { Versions } from "../data/read/Versions.ts"
import type { Methodology } from "../wire/products/payload.ts"
import { about, ofValues } from "./coverage.ts"

const bought: Access = {
  breadth: "all",
  historyDays: null,
  note: "A purchased snapshot: every network in the catalog."
}

const methodology: Methodology = {
  formula:
    "coverage[t] = number of networks with telemetry_tier t; totals[f] = sum of f over the networks where it is measured",
  fields: ["market_cap_usd", "fully_diluted_valuation_usd", "price_usd"],
  rules: [
    "Market rows are the latest accepted readings; a figure is null if not measured.",
    "Coverage and totals are of DePIN networks: networks of the category reference are listed, but not counted."
  ]
}

type MarketFigure = "market_cap_usd" | "fully_diluted_valuation_usd"

export const depinNetworks: Effect.Effect<Product, never, Current | Feeds | Versions> = Effect.gen(
  function* () {
    const context = yield* Effect.context<Current | Feeds | Versions>()
    const build = Effect.gen(function* () {
      const catalog = yield* networks({ access: bought })
      const rows = yield* market()
      const coverage: Record<string, number> = {}
      for (const { telemetry_tier } of catalog.networks.filter(isDepin)) {
        coverage[telemetry_tier] = (coverage[telemetry_tier] ?? 0) + 1
      }
      const total = (figure: MarketFigure) => {
        const measured = rows.flatMap((row) =>
          row[figure] === null || referenceSymbols.has(row.symbol) ? [] : [row[figure]]
        )
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
      covers: Effect.provide(
        ofValues(() => true, about.all),
        context
      ),
      build: () => build.pipe(Effect.provide(context), Effect.catchTag("BadParameter", Effect.die))
    }
  }
)
