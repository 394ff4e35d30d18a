/** `depin_enrichment`: every live value as a record with its build date, address and confidence. */
import { Schema } from "effect"
import { described } from "../data/valueRow.ts"
import { head, Input, natural, words } from "./payload.ts"

export const EnrichmentRecord = Schema.Struct({
  symbol: described.symbol,
  ...Input.fields,
  build_date: Schema.String.annotate({
    format: "date",
    description: "UTC day on which the record was built"
  }),
  feed: words("The feed that reads it: /v1/data-dictionary has its grade and cadence"),
  read_at: Schema.String.annotate({
    format: "date-time",
    description: "When the feed last saw the value, changed or not: ISO 8601 in UTC"
  }),
  confidence: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))).annotate({
    description: "0 to 1 after the methodology; null where the feed is no longer known"
  })
}).annotate({ identifier: "EnrichmentRecord", description: "One value of one network" })

export const Enrichment = Schema.Struct({
  ...head,
  n_records: natural("Records"),
  records: Schema.Array(EnrichmentRecord).annotate({ description: "By symbol, metric and source" })
}).annotate({ identifier: "Enrichment", description: "A field-level snapshot" })
export interface Enrichment extends Schema.Schema.Type<typeof Enrichment> {}
