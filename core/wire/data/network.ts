/** `/v1/network/{symbol}`. */
import { Schema } from "effect"
import { disagrees_with } from "./disagreement.ts"
import { ValueRow } from "./valueRow.ts"

/** A value row with what contradicts it. */
export const NetworkValue = Schema.Struct({ ...ValueRow.fields, disagrees_with }).annotate({
  identifier: "NetworkValue",
  description:
    "One observation of one metric of the network, and the second source that contradicts it, if one does"
})
export interface NetworkValue extends Schema.Schema.Type<typeof NetworkValue> {}

export const NetworkResponse = Schema.Array(NetworkValue).annotate({
  description:
    "The latest row of each series of the network, by metric and source; empty if nothing is measured"
})
export type NetworkResponse = typeof NetworkResponse.Type
