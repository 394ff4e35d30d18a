/** `depin_revenue_snapshot`: fees and total value locked of every network that has any. */
import { Schema } from "effect"
import { rowProvenance } from "../../wire/data/figures.ts"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, missing, natural } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

const of = {
  fees_24h_usd: figure("Protocol fees over the last 24 hours, in US dollars; null if not measured"),
  fees_7d_usd: figure("Protocol fees over the last 7 days, in US dollars; null if not measured"),
  fees_30d_usd: figure("Protocol fees over the last 30 days, in US dollars; null if not measured"),
  tvl_usd: figure("Total value locked, in US dollars; null if not measured"),
  staking_tvl_usd: figure("Value staked, in US dollars; null if not measured")
}

export const RevenueSnapshot = Schema.Struct({
  ...head,
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
}).annotate({ identifier: "RevenueSnapshot", description: "On-chain fees and total value locked" })
export interface RevenueSnapshot extends Schema.Schema.Type<typeof RevenueSnapshot> {}

export default define({
  key: "depin_revenue_snapshot",
  title: "DePIN revenue snapshot",
  schema: RevenueSnapshot,
  sale: {
    content: "On-chain fee and revenue figures",
    free: "Free: the rows at /v1/revenue. Sold: their sums in one delivery, and earlier states.",
    price: "2.99",
    perRequest: true,
    sameAs: "/v1/revenue"
  }
})
