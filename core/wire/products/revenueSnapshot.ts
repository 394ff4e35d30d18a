/** `depin_revenue_snapshot`: fees and value locked of every network that has any. */
import { Schema } from "effect"
import { rowProvenance } from "../data/figures.ts"
import { described } from "../data/valueRow.ts"
import { figure, head, missing, natural } from "./payload.ts"

const of = {
  fees_24h_usd: figure("Protocol fees of the last 24 hours, in US dollars; null where it is not measured"),
  fees_7d_usd: figure("Protocol fees of the last 7 days, in US dollars; null where it is not measured"),
  fees_30d_usd: figure("Protocol fees of the last 30 days, in US dollars; null where it is not measured"),
  tvl_usd: figure("Total value locked, in US dollars; null where it is not measured"),
  staking_tvl_usd: figure("Value staked, in US dollars; null where it is not measured")
}

export const RevenueSnapshot = Schema.Struct({
  ...head,
  networks: Schema.Array(
    Schema.Struct({ symbol: described.symbol, ...of, missing_fields: missing, ...rowProvenance })
  ).annotate({ description: "Networks with any of the figures, sorted by symbol" }),
  totals: Schema.Record(
    Schema.String,
    Schema.Struct({
      usd: figure("Sum over the networks where it is measured; null where none is"),
      n_networks: natural("Networks in the sum")
    })
  ).annotate({ description: "Figure to its total" })
}).annotate({ identifier: "RevenueSnapshot", description: "On-chain fees and value locked" })
export interface RevenueSnapshot extends Schema.Schema.Type<typeof RevenueSnapshot> {}
