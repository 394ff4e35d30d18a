/** `/v1/revisions`. */
import { Schema } from "effect"
import { rights } from "./rights.ts"
import { described } from "./valueRow.ts"

export const Revision = Schema.Struct({
  id: Schema.Natural.annotate({ description: "Increases with each revision" }),
  symbol: described.symbol,
  metric: described.metric,
  source: described.source,
  unit: described.unit,
  verify_url: described.verify_url,
  as_of: Schema.String.annotate({ format: "date-time", description: "The `as_of` whose value changed" }),
  version: Schema.Natural.annotate({ description: "Version created by the change" }),
  before_value: Schema.Finite.annotate({ description: "The value before" }),
  before_text: Schema.optionalKey(Schema.String.annotate({ description: "The exact number before" })),
  after_value: Schema.Finite.annotate({ description: "The value after" }),
  after_text: Schema.optionalKey(Schema.String.annotate({ description: "The exact number after" })),
  recorded_at: Schema.String.annotate({ format: "date-time", description: "When the change was recorded" }),
  run: Schema.String.annotate({ description: "Id of the run that reported it (see /v1/derivation)" }),
  why: Schema.String.annotate({ description: "Why the value changed" }),
  method: Schema.optionalKey(
    Schema.Struct({
      run: Schema.String.annotate({ description: "The run whose stored bodies were read again" }),
      code_before: Schema.String.annotate({ description: "`code_hash` of that run" }),
      code_after: Schema.String.annotate({ description: "`code_hash` of the collector that read them again" })
    }).annotate({ description: "Present if the value changed because the collector did, not its upstream" })
  ),
  simulated: described.simulated,
  ...rights
}).annotate({ identifier: "Revision", description: "A change to a published value" })
export interface Revision extends Schema.Schema.Type<typeof Revision> {}

export const RevisionsResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  revisions: Schema.Array(Revision).annotate({ description: "Revisions, newest first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "RevisionsResponse", description: "Ledger of changes to past values" })
export interface RevisionsResponse extends Schema.Schema.Type<typeof RevisionsResponse> {}
