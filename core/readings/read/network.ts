/** `/v1/network/{symbol}`: every latest row of one network. */
import { Effect } from "effect"
import { type NetworkResponse, NetworkValue } from "../../wire/data/network.ts"
import { columnsOf } from "../csv.ts"
import { agreementLately } from "./agreementCounts.ts"
import { Current } from "./Current.ts"
import { disagreeing, disagreements } from "./disagreements.ts"
import { served } from "./listing.ts"
import { knownSymbol } from "./parameters.ts"
import { rightsBySource } from "./rights.ts"
import { rungsOf } from "./rungs.ts"
import { chosenMetrics, type ListShape, pageOfRows, type Selection } from "./selection.ts"
import { valueRow } from "./valueRow.ts"
import { exceededWholes, exceeding } from "./wholes.ts"

/** The rows of one network or of one symbol of a sector. Fails with `UnknownSymbol`. */
export const network = Effect.fn("Data.network")(function* (named: string) {
  const symbol = yield* knownSymbol("symbol", named)
  const current = yield* Current
  const { bySymbol } = served(yield* current.snapshot)
  const rows = bySymbol.get(symbol) ?? []
  const seconds = yield* disagreements(rows)
  const exceeded = exceededWholes(rows)
  const agreement = yield* agreementLately
  const rightsOf = yield* rightsBySource
  const rungOf = yield* rungsOf(rows)
  return rows.map((row) => ({
    ...valueRow(row),
    ...disagreeing(seconds, row),
    ...exceeding(exceeded, row),
    ...agreement(row.series),
    ...rightsOf(row.row.source),
    ...rungOf(row)
  })) satisfies NetworkResponse
})

const shape: ListShape<NetworkValue> = {
  columns: columnsOf(NetworkValue),
  order: "key",
  key: ({ metric, source }) => `${metric}!${source}`,
  limit: { max: 2000, fallback: 2000 },
  // A series may end between two pages.
  past: (cursor) => /^[^!]+![^!]+$/.test(cursor)
}

/** A page of the same, of some metrics. Fails with `BadParameter` and `UnknownSymbol`. */
export const networkPage = Effect.fn("Data.networkPage")(function* (
  named: string,
  selection: Pick<Selection, "metrics" | "sort" | "limit" | "cursor"> = {}
) {
  const rows = yield* network(named)
  const metrics = yield* chosenMetrics(selection.metrics, (name) =>
    rows.some(({ metric }) => metric === name)
  )
  const chosen = metrics === undefined ? rows : rows.filter(({ metric }) => metrics.has(metric))
  return yield* pageOfRows(chosen, selection, shape)
})
