/** Where the figures of a row with several of them come from. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

/** Where a field of a row comes from, when it is not the row's own source. */
export const FieldSource = Schema.Struct({
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of
}).annotate({ identifier: "FieldSource", description: "Provenance of one field" })

/** Members that market and revenue rows have in common. */
export const rowProvenance = {
  verify_url: described.verify_url,
  source: described.source,
  as_of: Schema.String.annotate({
    format: "date-time",
    description: "The oldest time of the row's measured fields: ISO 8601 in UTC"
  }),
  field_sources: Schema.optionalKey(
    Schema.Record(Schema.String, FieldSource).annotate({
      description: "Provenance of those fields that do not come from the row's `source`"
    })
  ),
  simulated: described.simulated
}
