/** `/v1/anomalies`. */
import { Schema } from "effect"
import { rights } from "./rights.ts"
import { described } from "./valueRow.ts"

/** In the order in which one goes before another: a value has one finding, of the first rule that holds. */
export const AnomalyRule = Schema.Literals([
  "zero",
  "sign",
  "fell",
  "unit",
  "source",
  "level",
  "peer",
  "flat"
])
export type AnomalyRule = typeof AnomalyRule.Type

/** What a finding means, and what it does not. */
export const findingMeaning =
  "A finding flags a value for review. It excludes nothing and does not mean that a source is wrong."

export const Anomaly = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  date: Schema.String.annotate({ description: "The closed day, YYYY-MM-DD" }),
  value: described.value,
  value_text: described.value_text,
  unit: described.unit,
  source: described.source,
  as_of: described.as_of,
  verify_url: described.verify_url,
  version: Schema.Natural.annotate({ description: "Version of the leaf that was judged" }),
  rule: AnomalyRule.annotate({ description: "Which rule; /method says what each is" }),
  score: Schema.Finite.annotate({
    description:
      "Robust standard deviations from the usual move; of `flat`, minus the decimal logarithm of the repeats' probability"
  }),
  low: Schema.Finite.annotate({ description: "Lower end of the expected range" }),
  high: Schema.Finite.annotate({ description: "Upper end" }),
  before_date: Schema.String.annotate({ description: "The closed day with a value before" }),
  before_value: Schema.Finite.annotate({ description: "Its value" }),
  baseline_days: Schema.Natural.annotate({ description: "Moves between closed days in its baseline" }),
  compared_with: Schema.optionalKey(
    Schema.Natural.annotate({ description: "Other sources, or series of its category" })
  ),
  compared_median: Schema.optionalKey(
    Schema.Finite.annotate({
      description:
        "Of `source` their median; of `peer` their median move, a logarithm where values have ratios"
    })
  ),
  why: Schema.String.annotate({ description: "The reason in one sentence, with its numbers" }),
  found_at: Schema.String.annotate({ format: "date-time", description: "When it was judged" }),
  simulated: described.simulated,
  ...rights
}).annotate({
  identifier: "Anomaly",
  description: "A closed value that is unusual by a rule"
})
export interface Anomaly extends Schema.Schema.Type<typeof Anomaly> {}

export const AnomaliesResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  judged_through: Schema.NullOr(Schema.String).annotate({
    description: "The newest judged day; null: none yet"
  }),
  from: Schema.String.annotate({ description: "First closed day of the answer" }),
  to: Schema.String.annotate({ description: "Last closed day of the answer" }),
  method_url: Schema.String.annotate({ description: "The rules, their formulas and constants" }),
  anomalies: Schema.Array(Anomaly).annotate({ description: "Unusual values, the newest day first" }),
  note: Schema.optionalKey(
    Schema.String.annotate({ description: "Which days of the answer nobody judged; absent if all are" })
  ),
  next_cursor: described.next_cursor
}).annotate({ identifier: "AnomaliesResponse", description: "Unusual values of closed days" })
export interface AnomaliesResponse extends Schema.Schema.Type<typeof AnomaliesResponse> {}
