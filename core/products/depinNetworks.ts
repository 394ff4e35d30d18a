/** `depin_networks`: the whole catalog, how far each network is covered, and the market figures beside. */
import { Effect, Schema } from "effect"
import type { Product } from "../credits/Product.ts"
import type { Feeds } from "../data/Feeds.ts"
import type { Access } from "../data/read/Access.ts"
import type { Current } from "../data/read/Current.ts"
import { MarketRow, market } from "../data/read/market.ts"
import { NetworksResponse, networks } from "../data/read/networks.ts"
import { figure, Methodology, natural } from "./inputs.ts"

const bought: Access = {
  breadth: "all",
  historyDays: null,
  note: "A purchased snapshot: every network of the catalog."
}

const methodology: Methodology = {
  formula:
    "coverage[t] = networks of telemetry_tier t; totals[f] = sum of f over the networks where it is measured",
  fields: ["market_cap_usd", "fully_diluted_valuation_usd", "price_usd"],
  rules: ["Market rows are the latest accepted readings, null where a figure is not measured."]
}

const Total = Schema.Struct({
  usd: figure("Sum over the networks where it is measured; null where none is"),
  n_networks: natural("Networks in the sum")
}).annotate({ identifier: "MarketTotal", description: "A figure summed over networks" })

export const DepinNetworks = Schema.Struct({
  ...NetworksResponse.fields,
  coverage: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "telemetry_tier to how many networks have it"
  }),
  market: Schema.Struct({
    totals: Schema.Struct({ market_cap_usd: Total, fully_diluted_valuation_usd: Total }).annotate({
      description: "Sums over the catalog"
    }),
    rows: Schema.Array(MarketRow).annotate({ description: "The rows of /v1/market" })
  }).annotate({ description: "Market summary" }),
  methodology: Methodology
}).annotate({ identifier: "DepinNetworks", description: "The catalog, its coverage and a market summary" })

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
