/** `/v1/revenue`: protocol fees and total value locked of every network that has any. */
import { Effect } from "effect"
import { type RevenueResponse, RevenueRow } from "../../wire/data/revenue.ts"
import { columnsOf } from "../csv.ts"
import { listing } from "./listing.ts"
import { chosenFigures, creditedTo, figuresOf } from "./metricColumns.ts"
import { isCatalogued } from "./parameters.ts"
import { rightsBySource } from "./rights.ts"
import { type ListShape, pageOfRows, type Selection } from "./selection.ts"

const metrics = ["fees_24h_usd", "fees_7d_usd", "fees_30d_usd", "tvl_usd"] as const
const figures = figuresOf(metrics)

const shape: ListShape<RevenueRow> = {
  columns: columnsOf(RevenueRow),
  order: "key",
  key: ({ symbol }) => symbol,
  limit: { max: 2000, fallback: 2000 },
  past: isCatalogued
}

/** The networks that have any of the figures, or any of `metrics`. Fails with `BadParameter` and `UnknownSymbol`. */
export const revenuePage = Effect.fn("Data.revenuePage")(function* (selection: Selection = {}) {
  const rightsOf = yield* rightsBySource
  const rows = (yield* chosenFigures(figures(yield* listing), metrics, selection)).map(
    ({ provenance, symbol, value }): RevenueRow => ({
      symbol,
      fees_24h_usd: value("fees_24h_usd"),
      fees_7d_usd: value("fees_7d_usd"),
      fees_30d_usd: value("fees_30d_usd"),
      tvl_usd: value("tvl_usd"),
      ...creditedTo(provenance, rightsOf)
    })
  )
  return yield* pageOfRows(rows, selection, shape)
})

/** The rows of a page alone. */
export const revenue = (selection: Selection = {}) =>
  Effect.map(revenuePage(selection), ({ items }): RevenueResponse => items)
