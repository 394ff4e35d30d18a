/** Checks values a caller has kept against what was published. */
import { Schema } from "effect"
import { VerificationCheck } from "./verification.ts"

const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

export const KeptValue = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  value: Schema.Finite,
  source: text("source label; without it, one source is compared"),
  as_of: text("as the service returned it"),
  date: text("the UTC day, YYYYMMDD, if as_of is not given")
}).annotate({ description: "A value as received from the service" })
export type KeptValue = typeof KeptValue.Type

export const SavedAnswer = Schema.Struct({
  path: Schema.String.annotate({ description: "path of the request, without the query" }),
  body: Schema.String.annotate({ description: "the exact body as text" }),
  timestamp: Schema.String.annotate({ description: "X-Service-Timestamp" }),
  signature: Schema.String.annotate({ description: "X-Service-Signature" })
}).annotate({ description: "A saved answer of this service" })

export const FootprintResult = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  value: Schema.Finite,
  date: text("The UTC day the value was checked against"),
  result: Schema.Literals(["proved", "served", "superseded", "differs", "unknown"]).annotate({
    description:
      "`proved`: published, and its proof verifies; `served`: the latest value, from a day not yet closed; " +
      "`superseded`: an earlier published version; `differs`: a different value was published; `unknown`: nothing to compare it with"
  }),
  published: Schema.optionalKey(Schema.Finite.annotate({ description: "The published value, if different" })),
  detail: Schema.String
}).annotate({ identifier: "FootprintResult", description: "Result for one value" })
export type FootprintResult = typeof FootprintResult.Type

export const FootprintResponse = Schema.Struct({
  all_hold: Schema.Boolean.annotate({
    description: "True if every value is proved or served and no check failed"
  }),
  n_values: Schema.Natural,
  counts: Schema.Record(Schema.String, Schema.Natural).annotate({ description: "Values by result" }),
  values: Schema.Array(FootprintResult),
  answer: Schema.optionalKey(
    Schema.Array(VerificationCheck).annotate({ description: "Checks of the saved answer's signature" })
  ),
  left_out: text("Values that were not checked")
}).annotate({ identifier: "Footprint", description: "How a set of values compares with what was published" })
export interface FootprintResponse extends Schema.Schema.Type<typeof FootprintResponse> {}
