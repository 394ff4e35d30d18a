/** `/v1/market`: price and capitalisation of every network that has any. */
import { Effect } from "effect"
import { type MarketResponse, MarketRow } from "../../wire/data/market.ts"
import { columnsOf } from "../csv.ts"
import { listing } from "./listing.ts"
import { chosenFigures, creditedTo, figuresOf } from "./metricColumns.ts"
import { isCatalogued } from "./parameters.ts"
import { rightsBySource } from "./rights.ts"
import { type ListShape, pageOfRows, type Selection } from "./selection.ts"

const metrics = ["price_usd", "market_cap_usd", "fully_diluted_valuation_usd"] as const
const figures = figuresOf(metrics)

const shape: ListShape<MarketRow> = {
  columns: columnsOf(MarketRow),
  order: "key",
  key: ({ symbol }) => symbol,
  limit: { max: 2000, fallback: 2000 },
  past: isCatalogued
}

/** The networks that have any of the figures, or any of `metrics`. Fails with `BadParameter` and `UnknownSymbol`. */
export const marketPage = Effect.fn("Data.marketPage")(function* (selection: Selection = {}) {
  const rightsOf = yield* rightsBySource
  const rows = (yield* chosenFigures(figures(yield* listing), metrics, selection)).map(
    ({ provenance, symbol, value }): MarketRow => ({
      symbol,
      price_usd: value("price_usd"),
      market_cap_usd: value("market_cap_usd"),
      fully_diluted_valuation_usd: value("fully_diluted_valuation_usd"),
      ...creditedTo(provenance, rightsOf)
    })
  )
  return yield* pageOfRows(rows, selection, shape)
})

/** The rows of a page alone. */
export const market = (selection: Selection = {}) =>
  Effect.map(marketPage(selection), ({ items }): MarketResponse => items)
