/** `/v1/provenance`. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

export const ProvenanceRecord = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  staleness_flag: Schema.Boolean.annotate({
    description: "True when the value is 26 hours old or older, or older than twice the cadence of its feed"
  }),
  simulated: described.simulated
}).annotate({
  identifier: "ProvenanceRecord",
  description: "Where the latest value of one series comes from"
})
export interface ProvenanceRecord extends Schema.Schema.Type<typeof ProvenanceRecord> {}

export const SuppressedSeries = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  reason: Schema.String.annotate({ description: "What is wrong with the series at its source" })
}).annotate({
  identifier: "SuppressedSeries",
  description: "A series mislabelled at its source: never served"
})
export interface SuppressedSeries extends Schema.Schema.Type<typeof SuppressedSeries> {}

export const ProvenanceResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  provenance: Schema.Array(ProvenanceRecord).annotate({
    description: "One record for each series, by symbol, metric and source"
  }),
  n_records_shown: Schema.Natural.annotate({ description: "Records in this answer" }),
  n_records: Schema.Natural.annotate({ description: "Records there are" }),
  not_covered: described.not_covered,
  suppressed_series: Schema.Array(SuppressedSeries).annotate({
    description: "Series found mislabelled at their source, each with the reason; they are served nowhere"
  }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "ProvenanceResponse", description: "The provenance of every series" })
export interface ProvenanceResponse extends Schema.Schema.Type<typeof ProvenanceResponse> {}
