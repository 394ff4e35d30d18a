/** `/v1/revenue`: protocol fees and total value locked of every network that has any. */
import { Effect } from "effect"
import type { RevenueResponse, RevenueRow } from "../../wire/data/revenue.ts"
import { listing } from "./listing.ts"
import { figuresOf } from "./metricColumns.ts"
import { isCatalogued, page, type Raw, wholeNumber } from "./parameters.ts"

const figures = figuresOf(["fees_24h_usd", "fees_7d_usd", "fees_30d_usd", "tvl_usd"])

interface Options {
  readonly limit?: Raw
  readonly cursor?: string | undefined
}

/** Fails with `BadParameter`. `cursor` is the last symbol of the previous page. */
export const revenuePage = Effect.fn("Data.revenue")(function* (options: Options = {}) {
  const limit = yield* wholeNumber("limit", options.limit, { min: 1, max: 2000, fallback: 2000 })
  const rows = figures(yield* listing).map(
    ({ provenance, symbol, value }): RevenueRow => ({
      symbol,
      fees_24h_usd: value("fees_24h_usd"),
      fees_7d_usd: value("fees_7d_usd"),
      fees_30d_usd: value("fees_30d_usd"),
      tvl_usd: value("tvl_usd"),
      ...provenance
    })
  )
  return yield* page(rows, ({ symbol }) => symbol, limit, options.cursor, isCatalogued)
})

/** The rows of a page alone. */
export const revenue = (options: Options = {}) =>
  Effect.map(revenuePage(options), ({ items }): RevenueResponse => items)
