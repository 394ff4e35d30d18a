/** `/v1/revenue`: protocol fees and value locked of every network that has any (spec 2.5). */
import { Effect, Schema } from "effect"
import { figures, rowProvenance } from "./figures.ts"
import { listing } from "./listing.ts"
import { page, type Raw, wholeNumber } from "./parameters.ts"
import { described } from "./valueRow.ts"

const usd = (of: string) =>
  Schema.NullOr(Schema.Finite).annotate({
    description: `${of}, in US dollars. The upstream's 0 is served as 0; null where it is not measured`
  })

export const RevenueRow = Schema.Struct({
  symbol: described.symbol,
  fees_24h_usd: usd("Protocol fees of the last 24 hours"),
  fees_7d_usd: usd("Protocol fees of the last 7 days"),
  fees_30d_usd: usd("Protocol fees of the last 30 days"),
  tvl_usd: usd("Total value locked"),
  ...rowProvenance
}).annotate({ identifier: "RevenueRow", description: "Fees and value locked of one network" })
export interface RevenueRow extends Schema.Schema.Type<typeof RevenueRow> {}

export const RevenueResponse = Schema.Array(RevenueRow).annotate({
  description: "Networks with any of the figures, sorted by symbol"
})
export type RevenueResponse = typeof RevenueResponse.Type

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
