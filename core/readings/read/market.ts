/** `/v1/market`: price and capitalisation of every network that has any. */
import { Effect } from "effect"
import type { MarketResponse, MarketRow } from "../../wire/data/market.ts"
import { listing } from "./listing.ts"
import { figuresOf } from "./metricColumns.ts"
import { isCatalogued, page, type Raw, wholeNumber } from "./parameters.ts"

const figures = figuresOf(["price_usd", "market_cap_usd", "fully_diluted_valuation_usd"])

interface Options {
  readonly limit?: Raw
  readonly cursor?: string | undefined
}

/** Fails with `BadParameter`. `cursor` is the last symbol of the previous page. */
export const marketPage = Effect.fn("Data.market")(function* (options: Options = {}) {
  const limit = yield* wholeNumber("limit", options.limit, { min: 1, max: 2000, fallback: 2000 })
  const rows = figures(yield* listing).map(
    ({ provenance, symbol, value }): MarketRow => ({
      symbol,
      price_usd: value("price_usd"),
      market_cap_usd: value("market_cap_usd"),
      fully_diluted_valuation_usd: value("fully_diluted_valuation_usd"),
      ...provenance
    })
  )
  return yield* page(rows, ({ symbol }) => symbol, limit, options.cursor, isCatalogued)
})

/** The rows of a page alone. */
export const market = (options: Options = {}) =>
  Effect.map(marketPage(options), ({ items }): MarketResponse => items)
