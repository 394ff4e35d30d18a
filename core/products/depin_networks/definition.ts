/** `depin_networks`: the full catalog, the coverage of each network, and its market figures. */
import { Schema } from "effect"
import { MarketRow } from "../../wire/data/market.ts"
import { NetworksResponse } from "../../wire/data/networks.ts"
import { figure, left_out, Methodology, natural, payloadRights } from "../../wire/products/payload.ts"
import { as_known_at } from "../../wire/products/pointInTime.ts"
import { define } from "../definition.ts"

const Total = Schema.Struct({
  usd: figure("Sum over the networks where it is measured; null if there are none"),
  n_networks: natural("Networks in the sum")
}).annotate({ identifier: "MarketTotal", description: "A figure summed over networks" })

export const DepinNetworks = Schema.Struct({
  ...NetworksResponse.fields,
  as_known_at,
  left_out,
  rights: payloadRights,
  coverage: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Number of networks by telemetry_tier"
  }),
  market: Schema.Struct({
    totals: Schema.Struct({ market_cap_usd: Total, fully_diluted_valuation_usd: Total }).annotate({
      description: "Sums over the catalog"
    }),
    rows: Schema.Array(MarketRow).annotate({ description: "The rows of /v1/market" })
  }).annotate({ description: "Market summary" }),
  methodology: Methodology
}).annotate({ identifier: "DepinNetworks", description: "The catalog, its coverage and a market summary" })

export default define({
  key: "depin_networks",
  title: "DePIN networks",
  schema: DepinNetworks,
  sale: {
    content: "Network catalog, coverage tiers, market summary",
    free: "Free: the market rows at /v1/market, the catalog as a table at /networks/data.csv.",
    price: "0.99",
    perRequest: true,
    sameAs: "/v1/networks"
  }
})
