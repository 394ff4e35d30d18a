/** `/v1/network/{symbol}`. */
import { Schema } from "effect"
import { ValueRow } from "./valueRow.ts"

export const NetworkResponse = Schema.Array(ValueRow).annotate({
  description:
    "The latest row of each series of the network, by metric and source; empty if nothing is measured"
})
export type NetworkResponse = typeof NetworkResponse.Type
