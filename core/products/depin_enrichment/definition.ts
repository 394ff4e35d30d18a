/** `depin_enrichment`: every live value with its build date, verify URL and confidence. */
import { Schema } from "effect"
import { described } from "../../wire/data/valueRow.ts"
import { head, Input, natural, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

export const EnrichmentRecord = Schema.Struct({
  symbol: described.symbol,
  ...Input.fields,
  build_date: Schema.String.annotate({
    format: "date",
    description: "UTC day the record was built"
  }),
  feed: textField("The feed that reads it; /v1/data-dictionary lists its grade and cadence"),
  read_at: Schema.String.annotate({
    format: "date-time",
    description: "When the feed last read the value, whether or not it changed: ISO 8601 in UTC"
  }),
  confidence: Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))).annotate({
    description: "0 to 1, computed as the methodology describes; null if the feed no longer exists"
  })
}).annotate({ identifier: "EnrichmentRecord", description: "One value of one network" })

export const Enrichment = Schema.Struct({
  ...head,
  n_records: natural("Number of records"),
  records: Schema.Array(EnrichmentRecord).annotate({ description: "By symbol, metric and source" })
}).annotate({ identifier: "Enrichment", description: "A field-level snapshot" })
export interface Enrichment extends Schema.Schema.Type<typeof Enrichment> {}

export default define({
  key: "depin_enrichment",
  title: "DePIN enrichment",
  schema: Enrichment,
  onlyNow: "when each value was last read is not recorded",
  sale: {
    content:
      "One-time field-level snapshot; each record has its build date, verify_url and a confidence score",
    free: "Free: each value at /v1/network/{symbol}, closed days at /v1/archive/.",
    price: "3.99"
  }
})
