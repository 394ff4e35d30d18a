/** `/v1/compare`: one metric across networks. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { figure, head, Input, missing, natural, share } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const CompareRow = Schema.Struct({
  rank: Schema.Int.annotate({ description: "1 is the largest value; equal values share a rank" }),
  symbol: described.symbol,
  ...Input.fields,
  share_of_total: share("Share of the sum; null if the sum is 0 or any value is negative")
}).annotate({ identifier: "CompareRow", description: "One network" })

export const Compare = Schema.Struct({
  ...head,
  metric: described.metric,
  n_networks: natural("Networks where the metric is measured"),
  median: figure("Median of the values; null if there are none"),
  rows: Schema.Array(CompareRow).annotate({ description: "Largest first, then by symbol" }),
  missing_fields: missing
}).annotate({ identifier: "Compare", description: "One metric across networks" })
export interface Compare extends Schema.Schema.Type<typeof Compare> {}

export default define({
  key: "compare",
  title: "Compare",
  schema: Compare,
  view: {
    path: "/v1/compare",
    title: "One metric across networks",
    capability: "cross_network",
    section: "Comparisons",
    takes: "metric"
  }
})
