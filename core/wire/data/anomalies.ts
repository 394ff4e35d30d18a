/** `/v1/anomalies`. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

/**
 * The rules by name, and what each says of a value, in the order in which one goes before another: a value has one finding, of the
 * first rule that holds. `core/readings/anomalies` has them.
 */
export const ruleWords = {
  zero: "it is 0, and was not on any closed day of its baseline",
  sign: "it has another sign than on every closed day of its baseline",
  fell: "it fell, although its manifest says that it never falls, or it rose on nearly every closed day before",
  unit: "it changed by a power of 10 or of 1,024, as where a unit has changed",
  source: "it left its usual distance from its other sources, and they did not follow",
  level: "it is outside of where its own closed days lead",
  peer: "it left its usual course beside the networks or places of its category",
  flat: "it is the very same value again and again, and was not before"
} as const

export const AnomalyRule = Schema.Literals(Object.keys(ruleWords) as ReadonlyArray<keyof typeof ruleWords>)
export type AnomalyRule = typeof AnomalyRule.Type

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
  rule: AnomalyRule.annotate({
    description: `Which rule: ${Object.entries(ruleWords)
      .map(([rule, words]) => `\`${rule}\`: ${words}`)
      .join("; ")}`
  }),
  score: Schema.Finite.annotate({
    description:
      "Robust standard deviations of the move from the usual one; of `flat`, the negative decimal logarithm of the probability of the repeats"
  }),
  low: Schema.Finite.annotate({ description: "Lower end of the range in which the value was expected" }),
  high: Schema.Finite.annotate({ description: "Upper end of that range" }),
  before_date: Schema.String.annotate({ description: "The closed day before that has a value" }),
  before_value: Schema.Finite.annotate({ description: "The value of that day" }),
  baseline_days: Schema.Natural.annotate({ description: "Moves between closed days it was compared with" }),
  compared_with: Schema.optionalKey(
    Schema.Natural.annotate({ description: "Other sources, or series of its category, it was compared with" })
  ),
  compared_median: Schema.optionalKey(
    Schema.Finite.annotate({
      description:
        "Of `source`: the median of the other sources. Of `peer`: the median move, as a logarithm where values have ratios"
    })
  ),
  why: Schema.String.annotate({ description: "The reason in one sentence, with its numbers" }),
  found_at: Schema.String.annotate({ format: "date-time", description: "When it was judged" }),
  simulated: described.simulated
}).annotate({
  identifier: "Anomaly",
  description:
    "A closed value that is unusual by a rule. It is served like any other, and nobody is said to be wrong"
})
export interface Anomaly extends Schema.Schema.Type<typeof Anomaly> {}

export const AnomaliesResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  judged_through: Schema.NullOr(
    Schema.String.annotate({ description: "The newest closed day whose values are judged; null: none yet" })
  ),
  from: Schema.String.annotate({ description: "First closed day of the answer" }),
  to: Schema.String.annotate({ description: "Last closed day of the answer" }),
  method_url: Schema.String.annotate({ description: "The rules, their formulas and constants" }),
  anomalies: Schema.Array(Anomaly).annotate({ description: "Unusual values, the newest day first" }),
  next_cursor: described.next_cursor
}).annotate({ identifier: "AnomaliesResponse", description: "Unusual values of closed days" })
export interface AnomaliesResponse extends Schema.Schema.Type<typeof AnomaliesResponse> {}
