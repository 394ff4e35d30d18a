/** How a series changed from one day to another. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

const ChangeEnd = Schema.Struct({
  date: Schema.String.annotate({ format: "date", description: "The UTC day" }),
  value: Schema.Finite.annotate({ description: "Last accepted reading of the day" }),
  value_text: described.value_text,
  as_of: described.as_of
}).annotate({ identifier: "ChangeEnd", description: "The day at one end of a change" })

export const Change = Schema.Struct({
  from: ChangeEnd.annotate({ description: "The earlier day" }),
  to: ChangeEnd.annotate({ description: "The later day" }),
  absolute: Schema.NullOr(Schema.Finite).annotate({
    description:
      "`to` minus `from` in the unit of the series; for `percent` and `pct` that is percentage points. Null for flags and dates"
  }),
  relative: Schema.NullOr(Schema.Finite).annotate({
    description:
      "100 × (to - from) / |from|, in percent: the same as `change_pct`. Null where it says nothing"
  }),
  why: Schema.optionalKey(
    Schema.String.annotate({
      description: "Why `relative` is null, or why it is to be read with care: it is above 500 %"
    })
  )
}).annotate({ identifier: "Change", description: "The change between two days, with both values" })
export interface Change extends Schema.Schema.Type<typeof Change> {}
