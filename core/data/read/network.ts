/** `/v1/network/{symbol}`: every latest row of one network (spec 2.1). */
import { Effect, Schema } from "effect"
import { Current } from "./Current.ts"
import { served } from "./listing.ts"
import { knownSymbol } from "./parameters.ts"
import { ValueRow, valueRow } from "./valueRow.ts"

export const NetworkResponse = Schema.Array(ValueRow).annotate({
  description:
    "The latest row of every series of the network, by metric and source; empty where nothing is measured"
})
export type NetworkResponse = typeof NetworkResponse.Type

/** The rows of one network or of one symbol of a sector. Fails with `UnknownSymbol`. */
export const network = Effect.fn("network")(function* (symbol: string) {
  yield* knownSymbol("symbol", symbol)
  const current = yield* Current
  const { bySymbol } = served(yield* current.snapshot)
  return (bySymbol.get(symbol) ?? []).map(valueRow) satisfies NetworkResponse
})
