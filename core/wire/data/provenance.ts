/** `/v1/provenance`. */
import { Schema } from "effect"
import { disagrees_with } from "./disagreement.ts"
import { rights } from "./rights.ts"
import { described } from "./valueRow.ts"

export const ProvenanceRecord = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  staleness_flag: Schema.Boolean.annotate({
    description: "True if the value is at least 26 hours old, or older than twice its feed's cadence"
  }),
  disagrees_with,
  ...described.marks,
  ...rights
}).annotate({
  identifier: "ProvenanceRecord",
  description: "Where the latest value of one series comes from"
})
export interface ProvenanceRecord extends Schema.Schema.Type<typeof ProvenanceRecord> {}

export const SuppressedSeries = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  reason: Schema.String.annotate({ description: "How the source mislabels the series" })
}).annotate({
  identifier: "SuppressedSeries",
  description: "A series that its source mislabels; never served"
})
export interface SuppressedSeries extends Schema.Schema.Type<typeof SuppressedSeries> {}

export const ProvenanceResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  provenance: Schema.Array(ProvenanceRecord).annotate({
    description: "One record per series, by symbol, metric and source"
  }),
  n_records_shown: Schema.Natural.annotate({ description: "Records in this answer" }),
  n_records: Schema.Natural.annotate({ description: "Records in total" }),
  not_covered: described.not_covered,
  suppressed_series: Schema.Array(SuppressedSeries).annotate({
    description: "Series that their source mislabels, each with the reason; no endpoint serves them"
  }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "ProvenanceResponse", description: "Provenance of every series" })
export interface ProvenanceResponse extends Schema.Schema.Type<typeof ProvenanceResponse> {}
