/** `/v1/market`: price and capitalisation of every network that has any (spec 2.4). */

import { Effect } from "effect"
import type { MarketResponse, MarketRow } from "../../wire/data/market.ts"
import { figures } from "./figures.ts"
import { listing } from "./listing.ts"
import { page, type Raw, wholeNumber } from "./parameters.ts"

const fields = ["price_usd", "market_cap_usd", "fully_diluted_valuation_usd"] as const

/** Fails with `BadParameter`. `cursor` is the last symbol of the page before. */
export const market = Effect.fn("market")(function* (
  options: { readonly limit?: Raw; readonly cursor?: string | undefined } = {}
) {
  const limit = yield* wholeNumber("limit", options.limit, { min: 1, max: 2000, fallback: 2000 })
  const rows = figures(yield* listing, fields).map(
    ({ provenance, symbol, value }): MarketRow => ({
      symbol,
      price_usd: value("price_usd"),
      market_cap_usd: value("market_cap_usd"),
      fully_diluted_valuation_usd: value("fully_diluted_valuation_usd"),
      ...provenance
    })
  )
  const { items } = page(rows, ({ symbol }) => symbol, limit, options.cursor)
  return items satisfies MarketResponse
})
