/** By how many other operators a value was seen, and what those say that have another one. */
import { Schema } from "effect"
import { described } from "./valueRow.ts"

export const counts = {
  n_observers: Schema.Natural.annotate({
    description: "Other operators that published a value of the series and day at a comparable time"
  }),
  n_agree: Schema.Natural.annotate({
    description: "How many of them have the same value, or one within the tolerance"
  })
}

const day = Schema.String.annotate({ format: "date", description: "The UTC day that was compared" })

/** The counts of one day. */
export const DayAgreement = Schema.Struct({ day, ...counts }).annotate({
  identifier: "DayAgreement",
  description: "By how many other operators the value of the newest compared day was seen"
})
export interface DayAgreement extends Schema.Schema.Type<typeof DayAgreement> {}

const OtherValue = Schema.Struct({
  origin: Schema.String.annotate({ description: "Name of the other operator's log" }),
  key: Schema.String.annotate({ description: "Kid of the key that signed its head" }),
  value: described.value,
  value_text: described.value_text,
  unit: Schema.String.annotate({ description: "Its unit, in the other operator's words" }),
  as_of: described.as_of
}).annotate({ identifier: "OtherValue", description: "What another operator published" })
export interface OtherValue extends Schema.Schema.Type<typeof OtherValue> {}

/** A published value that another operator contradicts, as an event has it. */
export const ObserverDisagreement = Schema.Struct({
  day,
  metric: described.metric,
  source: described.source,
  value: described.value,
  value_text: described.value_text,
  unit: described.unit,
  as_of: described.as_of,
  ...counts,
  others: Schema.Array(OtherValue).annotate({
    description:
      "The operators whose value is outside the tolerance or in another unit, at most 16. All that was compared is at /v1/log/agreements/{day}/leaves"
  }),
  log_index: Schema.Natural.annotate({ description: "Position of the day's document in the log" })
}).annotate({
  identifier: "ObserverDisagreement",
  description: "A published value of which another operator has another one"
})
export interface ObserverDisagreement extends Schema.Schema.Type<typeof ObserverDisagreement> {}
