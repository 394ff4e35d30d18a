/** `/v1/network/{symbol}`: every latest row of one network. */
import { Effect } from "effect"
import type { NetworkResponse } from "../../wire/data/network.ts"
import { agreementLately } from "./agreementCounts.ts"
import { Current } from "./Current.ts"
import { disagreeing, disagreements } from "./disagreements.ts"
import { served } from "./listing.ts"
import { knownSymbol } from "./parameters.ts"
import { valueRow } from "./valueRow.ts"

/** The rows of one network or of one symbol of a sector. Fails with `UnknownSymbol`. */
export const network = Effect.fn("Data.network")(function* (named: string) {
  const symbol = yield* knownSymbol("symbol", named)
  const current = yield* Current
  const { bySymbol } = served(yield* current.snapshot)
  const rows = bySymbol.get(symbol) ?? []
  const seconds = yield* disagreements(rows)
  const agreement = yield* agreementLately
  return rows.map((row) => ({
    ...valueRow(row),
    ...disagreeing(seconds, row),
    ...agreement(row.series)
  })) satisfies NetworkResponse
})
