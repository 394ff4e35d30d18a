/** What becomes of values that a caller has kept, held against what was published. */
import { Schema } from "effect"
import { VerificationCheck } from "./verification.ts"

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const KeptValue = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  value: Schema.Finite,
  as_of: text("as the service gave it"),
  date: text("the UTC day, YYYYMMDD or YYYY-MM-DD, where there is no as_of")
}).annotate({ description: "A value as it was received" })
export type KeptValue = typeof KeptValue.Type

export const SavedAnswer = Schema.Struct({
  path: Schema.String.annotate({ description: "path of the request, without its query" }),
  body: Schema.String.annotate({ description: "the body as text, byte for byte" }),
  timestamp: Schema.String.annotate({ description: "X-Service-Timestamp" }),
  signature: Schema.String.annotate({ description: "X-Service-Signature" })
}).annotate({ description: "An answer of this service as it was saved" })

export const FootprintResult = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  value: Schema.Finite,
  date: text("The UTC day it was looked for"),
  result: Schema.Literals(["proved", "served", "superseded", "differs", "unknown"]).annotate({
    description:
      "`proved`: published, and its proof recomputes; `served`: the latest value, its day not yet closed; " +
      "`superseded`: an earlier published version; `differs`: another value was published; `unknown`: nothing to hold it against"
  }),
  published: Schema.optionalKey(
    Schema.Finite.annotate({ description: "What is published, where it is not the same" })
  ),
  detail: Schema.String
}).annotate({ identifier: "FootprintResult", description: "What became of one value" })
export type FootprintResult = typeof FootprintResult.Type

export const FootprintResponse = Schema.Struct({
  all_hold: Schema.Boolean.annotate({ description: "Every value is proved or served, and no check failed" }),
  n_values: Schema.Natural,
  counts: Schema.Record(Schema.String, Schema.Natural).annotate({ description: "Values by result" }),
  values: Schema.Array(FootprintResult),
  answer: Schema.optionalKey(
    Schema.Array(VerificationCheck).annotate({ description: "Checks of the saved answer's signature" })
  ),
  left_out: text("Values that were not looked at")
}).annotate({ identifier: "Footprint", description: "What holds of a set of values, and what does not" })
export interface FootprintResponse extends Schema.Schema.Type<typeof FootprintResponse> {}
