/** `/v1/network/{symbol}`. */
import { Schema } from "effect"
import { DayAgreement } from "./agreement.ts"
import { disagrees_with } from "./disagreement.ts"
import { rights } from "./rights.ts"
import { ValueRow } from "./valueRow.ts"
import { exceeds } from "./whole.ts"

/** A value row with what contradicts it. */
const { attribution: _, licence: __, ...row } = ValueRow.fields

export const NetworkValue = Schema.Struct({
  ...row,
  disagrees_with,
  exceeds,
  agreement: Schema.optionalKey(
    DayAgreement.annotate({
      description:
        "Present if other operators observe this service: by how many the series was seen on the newest compared day, which is not the day of this value if that is still open"
    })
  ),
  // Columns of a CSV file that came later stand at its end.
  ...rights
}).annotate({
  identifier: "NetworkValue",
  description:
    "One observation of one metric of the network, the second source that contradicts it, if one does, the whole that it exceeds, if it does, and by how many other operators it was seen"
})
export interface NetworkValue extends Schema.Schema.Type<typeof NetworkValue> {}

export const NetworkResponse = Schema.Array(NetworkValue).annotate({
  description:
    "The latest row of each series of the network, by metric and source; empty if nothing is measured"
})
export type NetworkResponse = typeof NetworkResponse.Type
