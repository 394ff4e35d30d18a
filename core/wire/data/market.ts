/** `/v1/market`. */
import { Schema } from "effect"
import { rowProvenance } from "./figures.ts"
import { described } from "./valueRow.ts"

const usd = (of: string) =>
  Schema.NullOr(Schema.Finite).annotate({
    description: `${of}, in US dollars; null if not measured`
  })

export const MarketRow = Schema.Struct({
  symbol: described.symbol,
  price_usd: usd("Price of one token"),
  market_cap_usd: usd("Market capitalisation"),
  fully_diluted_valuation_usd: usd("Fully diluted valuation"),
  ...rowProvenance
}).annotate({ identifier: "MarketRow", description: "Market figures of one network" })
export interface MarketRow extends Schema.Schema.Type<typeof MarketRow> {}

export const MarketResponse = Schema.Array(MarketRow).annotate({
  description: "Networks with any of the market figures, sorted by symbol"
})
export type MarketResponse = typeof MarketResponse.Type
