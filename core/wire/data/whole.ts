/** The figure that a value is a part of, where the value is more than it. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

export const WholeValue = Schema.Struct({
  metric: described.metric,
  source: described.source,
  value: described.value,
  value_text: described.value_text,
  as_of: described.as_of
}).annotate({
  identifier: "WholeValue",
  description: "The newest value of the figure of which another is a part"
})
export interface WholeValue extends Schema.Schema.Type<typeof WholeValue> {}

/** For the rows of answers that show it. */
export const exceeds = Schema.optionalKey(
  WholeValue.annotate({
    description:
      "Present only while the value is more than a figure of another source of which it is a part, such as the balance of the largest holder and the total supply: one of the two is not what it says, and no share is computed from them"
  })
)
