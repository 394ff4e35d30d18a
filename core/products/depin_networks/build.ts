/** `depin_networks`: the full catalog, the coverage of each network, and its market figures. */
import { Effect } from "effect"
import { isDepin, referenceSymbols } from "../../catalog/Catalog.ts"
import type { Access } from "../../readings/read/Access.ts"
import { market } from "../../readings/read/market.ts"
import { networks } from "../../readings/read/networks.ts"
import type { Methodology } from "../../wire/products/payload.ts"
import { sold } from "../build.ts"
import { about, ofValues } from "../shared/coverage.ts"
import { leftOut, readings } from "../shared/inputs.ts"
import definition from "./definition.ts"

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
    "Coverage and totals are of DePIN networks: networks of the category reference are listed, but not counted.",
    "With as_known_at: the networks are those of the catalog as it is now, and a network counts as stamped from the time of the Bitcoin block."
  ]
}

type MarketFigure = "market_cap_usd" | "fully_diluted_valuation_usd"

const snapshot = Effect.gen(function* () {
  const catalog = yield* networks({ access: bought })
  const rows = yield* market()
  const coverage: Record<string, number> = {}
  for (const { telemetry_tier } of catalog.networks.filter(isDepin)) {
    coverage[telemetry_tier] = (coverage[telemetry_tier] ?? 0) + 1
  }
  const total = (figure: MarketFigure) => {
    const measured = rows.flatMap((row) =>
      row[figure] === null || row.unconfirmed === true || referenceSymbols.has(row.symbol)
        ? []
        : [row[figure]]
    )
    return {
      // Nothing measured is no total, and not a total of 0.
      usd: measured.length === 0 ? null : measured.reduce((sum, value) => sum + value, 0),
      n_networks: measured.length
    }
  }
  return {
    ...catalog,
    ...leftOut(yield* readings, ["market_cap_usd", "fully_diluted_valuation_usd"], about.all),
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

export default {
  sale: sold(definition, () => snapshot, {
    covers: ofValues(() => true, about.all),
    // The catalog is there before anything is measured.
    holds: () => true
  })
}
