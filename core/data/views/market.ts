/** `/v1/market`: price and capitalisation of every network that has any (spec 2.4). */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

const usd = (of: string) =>
  Schema.NullOr(Schema.Finite).annotate({
    description: `${of}, in US dollars; null where it is not measured`
  })

/** Where a field of a row comes from, when it is not the row's own source. */
export const FieldSource = Schema.Struct({
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of
}).annotate({ identifier: "FieldSource", description: "Provenance of one field" })

/** Members that market and revenue rows have in common. */
export const rowProvenance = {
  verify_url: described.verify_url,
  source: described.source,
  as_of: Schema.String.annotate({
    format: "date-time",
    description: "The oldest time of the row's measured fields: ISO 8601 in UTC"
  }),
  field_sources: Schema.optionalKey(
    Schema.Record(Schema.String, FieldSource).annotate({
      description: "Provenance of those fields that do not come from the row's `source`"
    })
  ),
  simulated: described.simulated
}

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
