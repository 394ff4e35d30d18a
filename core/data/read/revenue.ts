/** `/v1/revenue`: protocol fees and value locked of every network that has any (spec 2.5). */

import { Effect } from "effect"
import type { RevenueResponse, RevenueRow } from "../../wire/data/revenue.ts"
import { figures } from "./figures.ts"
import { listing } from "./listing.ts"
import { page, type Raw, wholeNumber } from "./parameters.ts"

const fields = ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd", "tvl_usd"] as const

/** Fails with `BadParameter`. `cursor` is the last symbol of the page before. */
export const revenue = Effect.fn("revenue")(function* (
  options: { readonly limit?: Raw; readonly cursor?: string | undefined } = {}
) {
  const limit = yield* wholeNumber("limit", options.limit, { min: 1, max: 2000, fallback: 2000 })
  const rows = figures(yield* listing, fields).map(
    ({ provenance, symbol, value }): RevenueRow => ({
      symbol,
      fees_24h_usd: value("fees_24h_usd"),
      fees_7d_usd: value("fees_7d_usd"),
      fees_30d_usd: value("fees_30d_usd"),
      tvl_usd: value("tvl_usd"),
      ...provenance
    })
  )
  const { items } = page(rows, ({ symbol }) => symbol, limit, options.cursor)
  return items satisfies RevenueResponse
})
