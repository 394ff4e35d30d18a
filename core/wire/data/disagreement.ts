/** What a declared second source of a figure says where it contradicts it. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

export const SecondValue = Schema.Struct({
  source: described.source,
  metric: described.metric,
  value: described.value,
  value_text: described.value_text,
  as_of: described.as_of,
  tolerance: Schema.Finite.annotate({
    description: "By what share of the larger value the two may differ: 0.1 is a tenth"
  })
}).annotate({
  identifier: "SecondValue",
  description:
    "The newest value of a second source of the same figure, which differs by more than the tolerance"
})
export interface SecondValue extends Schema.Schema.Type<typeof SecondValue> {}

/** For the rows of answers that show it. */
export const disagrees_with = Schema.optionalKey(
  SecondValue.annotate({
    description:
      "Present only while a second source of the same figure, which the plugin's manifest declares, has a value of about the same time that differs by more than the tolerance"
  })
)

/** Two sources that do not agree, as an event has them. */
export const Disagreement = Schema.Struct({
  metric: described.metric,
  source: described.source,
  value: described.value,
  value_text: described.value_text,
  unit: described.unit,
  as_of: described.as_of,
  disagrees_with: SecondValue,
  why: Schema.String.annotate({
    description: "Why both are the same figure, and why they may differ by the tolerance"
  })
}).annotate({
  identifier: "Disagreement",
  description: "A figure that a second source contradicts; both values are served"
})
export interface Disagreement extends Schema.Schema.Type<typeof Disagreement> {}
