/** The cross-network views: one metric compared, the largest changes, correlations and the daily digest. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { figure, head, Input, missing, natural, share, words } from "./payload.ts"

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

export const ChangeRow = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  unit: Schema.String.annotate({ description: "Unit of the values" }),
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  simulated: described.simulated,
  from_date: Schema.String.annotate({ format: "date", description: "The earlier day" }),
  to_date: Schema.String.annotate({ format: "date", description: "The later day" }),
  open: Schema.optionalKey(
    Schema.Literal(true).annotate({
      description: "`to_date` is not closed yet, so `to_value` can still change"
    })
  ),
  from_value: Schema.Finite.annotate({ description: "Last accepted reading of the earlier day" }),
  to_value: Schema.Finite.annotate({ description: "Last accepted reading of the later day" }),
  change_pct: Schema.Finite.annotate({ description: "(to - from) / |from| in percent" })
}).annotate({ identifier: "ChangeRow", description: "One series" })
export interface ChangeRow extends Schema.Schema.Type<typeof ChangeRow> {}

/** A safety limit on the rows of one answer, above what today's feeds can produce. */
export const mostChanges = 5000

export const Changes = Schema.Struct({
  ...head,
  n_compared: natural("Series with a reading on both days"),
  n_left_out: natural(`Smaller changes left out of the rows; 0 if there are at most ${mostChanges}`),
  changes: Schema.Array(ChangeRow).annotate({ description: "Largest changes first" })
}).annotate({ identifier: "Changes", description: "The largest changes" })
export interface Changes extends Schema.Schema.Type<typeof Changes> {}

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

export const Digest = Schema.Struct({
  ...head,
  n_networks: natural("Networks with a live value"),
  n_series: natural("Live series"),
  movers: Schema.Array(ChangeRow).annotate({ description: "The ten largest daily changes" }),
  dilution_classes: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Number of networks in each dilution class"
  }),
  sector_health: Schema.Array(
    Schema.Struct({ category: words("The category"), health_index: figure("0 to 100; null if withheld") })
  ).annotate({ description: "Health index of each category" }),
  development: Schema.Struct({
    n_active: natural("Networks with a push within 90 days"),
    n_dormant: natural("Networks without one")
  }).annotate({ description: "Repository activity" })
}).annotate({ identifier: "Digest", description: "The daily digest" })
export interface Digest extends Schema.Schema.Type<typeof Digest> {}
