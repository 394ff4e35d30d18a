/** Provenance of rows that combine several figures. */
import { Schema } from "effect"
import { rights } from "./rights.ts"
import { described } from "./valueRow.ts"

/** Provenance of a field that does not come from the row's own source. */
export const FieldSource = Schema.Struct({
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  ...rights
}).annotate({ identifier: "FieldSource", description: "Provenance of one field" })

/** Fields that market and revenue rows share. */
export const rowProvenance = {
  verify_url: described.verify_url,
  source: described.source,
  as_of: Schema.String.annotate({
    format: "date-time",
    description: "The oldest `as_of` among the row's measured fields: ISO 8601 in UTC"
  }),
  field_sources: Schema.optionalKey(
    Schema.Record(Schema.String, FieldSource).annotate({
      description: "Provenance of the fields that do not come from the row's `source`"
    })
  ),
  ...described.marks,
  ...rights
}
