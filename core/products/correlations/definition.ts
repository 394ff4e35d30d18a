/** `/v1/correlations`: networks whose prices move together. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { head, natural } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const CorrelationRow = Schema.Struct({
  a: Schema.String.annotate({ description: "Symbol of one network" }),
  b: Schema.String.annotate({ description: "Symbol of the other" }),
  n: natural("Common days"),
  r: Schema.Finite.annotate({ description: "Pearson correlation, -1 to 1" }),
  p: Schema.Finite.annotate({
    description: "Two-sided p-value of Student's t with n - 2 degrees of freedom"
  }),
  q: Schema.Finite.annotate({ description: "Benjamini-Hochberg q-value within this answer" })
}).annotate({ identifier: "CorrelationRow", description: "Two networks" })

export const CorrelatedNetwork = Schema.Struct({
  symbol: described.symbol,
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  simulated: described.simulated,
  n_days: natural("Days of the window with a price")
}).annotate({ identifier: "CorrelatedNetwork", description: "The series of one network" })

export const Correlations = Schema.Struct({
  ...head,
  metric: described.metric,
  n_networks: natural("Networks compared"),
  n_left_out: natural("Networks with enough days that were left out because their market is smaller"),
  networks: Schema.Array(CorrelatedNetwork).annotate({
    description: "Provenance of the prices, by symbol"
  }),
  n_tests: natural("Pairs tested; q is computed over these"),
  correlations: Schema.Array(CorrelationRow).annotate({ description: "All pairs, sorted by p" })
}).annotate({ identifier: "Correlations", description: "Networks whose prices move together" })
export interface Correlations extends Schema.Schema.Type<typeof Correlations> {}

export default define({
  key: "correlations",
  title: "Correlations",
  schema: Correlations,
  view: {
    path: "/v1/correlations",
    title: "Correlated networks",
    capability: "cross_network",
    section: "Comparisons"
  }
})
