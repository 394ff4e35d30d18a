/** `depin_revenue_snapshot`: what every network earned and paid out, with its evidence, and its fees and locked value. */
import { Schema } from "effect"
import { CoverageRow, EarnedRow } from "../../wire/data/earned.ts"
import { rowProvenance } from "../../wire/data/figures.ts"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, missing, natural } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

const of = {
  fees_24h_usd: figure("Fees of 24 hours; null if not measured"),
  fees_7d_usd: figure("Fees of 7 days; null if not measured"),
  fees_30d_usd: figure("Fees of 30 days; null if not measured"),
  tvl_usd: figure("Total value locked; null if not measured"),
  staking_tvl_usd: figure("Value staked; null if not measured")
}

export const RevenueSnapshot = Schema.Struct({
  ...head,
  earned: Schema.Array(EarnedRow).annotate({
    description: "As at /v1/earned, without aggregators"
  }),
  coverage: Schema.Array(CoverageRow).annotate({
    description: "As at /v1/earned"
  }),
  networks: Schema.Array(
    Schema.Struct({ symbol: described.symbol, ...of, missing_fields: missing, ...rowProvenance })
  ).annotate({ description: "Networks with at least one of the figures, sorted by symbol" }),
  totals: Schema.Record(
    Schema.String,
    Schema.Struct({
      usd: figure("Sum over the networks where it is measured; null if there are none"),
      n_networks: natural("Networks in the sum")
    })
  ).annotate({ description: "Total by figure" })
}).annotate({
  identifier: "RevenueSnapshot",
  description: "What networks earned and paid out, fees and total value locked"
})
export interface RevenueSnapshot extends Schema.Schema.Type<typeof RevenueSnapshot> {}

export default define({
  key: "depin_revenue_snapshot",
  title: "DePIN revenue snapshot",
  schema: RevenueSnapshot,
  sale: {
    content: "On-chain fee and revenue figures",
    free: "Free: /v1/earned of twelve networks by name and of the day's sample, and the rows at /v1/revenue. Sold: all networks in one delivery, sums, and earlier states.",
    price: "2.99",
    perRequest: true,
    sameAs: "/v1/revenue"
  }
})
