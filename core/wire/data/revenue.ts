/** `/v1/revenue`. */
import { Schema } from "effect"
import { rowProvenance } from "./figures.ts"
import { described } from "./valueRow.ts"

const usd = (of: string) =>
  Schema.NullOr(Schema.Finite).annotate({
    description: `${of}, in US dollars. A 0 from the upstream is served as 0; null if not measured`
  })

export const RevenueRow = Schema.Struct({
  symbol: described.symbol,
  fees_24h_usd: usd("Protocol fees over the last 24 hours"),
  fees_7d_usd: usd("Protocol fees over the last 7 days"),
  fees_30d_usd: usd("Protocol fees over the last 30 days"),
  tvl_usd: usd("Total value locked"),
  ...rowProvenance
}).annotate({ identifier: "RevenueRow", description: "Fees and total value locked of one network" })
export interface RevenueRow extends Schema.Schema.Type<typeof RevenueRow> {}

export const RevenueResponse = Schema.Array(RevenueRow).annotate({
  description: "Networks with any of the figures, sorted by symbol"
})
export type RevenueResponse = typeof RevenueResponse.Type
