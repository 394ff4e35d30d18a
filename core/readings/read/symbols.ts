/** `/v1/symbols`: the whole catalog with what is measured of each network, and no values. */
import { Effect } from "effect"
import { headlineOf, type Manifest } from "../../plugin/Manifest.ts"
import { isoTime } from "../../plugin/Value.ts"
import { SymbolRow, type SymbolsResponse } from "../../wire/data/symbols.ts"
import { columnsOf } from "../csv.ts"
import { Feeds } from "../Feeds.ts"
import { counts, whyLeftOut } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import { eachSymbol, listing } from "./listing.ts"
import { catalogRows, measuredIn, measures } from "./networks.ts"
import { isCatalogued } from "./parameters.ts"
import { choose, type ListShape, pageOfRows, type Selection } from "./selection.ts"

/** What stands for a network whose plugins name no headline, by kind of telemetry; of market data, the price. */
const fallback = (rows: ReadonlyArray<CurrentRow>): string | undefined =>
  (
    rows.find(({ tier }) => tier === "supply_telemetry" || tier === "physical") ??
    rows.find(({ row }) => row.metric === "price_usd") ??
    rows[0]
  )?.row.metric

const namesOf = (rows: ReadonlyArray<CurrentRow>): ReadonlyArray<string> => [
  ...new Set(rows.map(({ row }) => row.metric))
]

const reasonIn = (rows: ReadonlyArray<CurrentRow>, metric: string) =>
  rows.flatMap((one) => (one.row.metric === metric ? (whyLeftOut(one) ?? []) : []))[0] ?? "unconfirmed"

/** What is measured of a network, and which of it stands for the network. */
const coverageBy = (manifests: ReadonlyArray<Manifest>) =>
  eachSymbol((rows, symbol) => {
    const metrics = namesOf(rows)
    const counted = rows.filter(counts)
    const headline = headlineOf(manifests, symbol, namesOf(counted)) ?? fallback(counted)
    const best = headlineOf(manifests, symbol, metrics) ?? fallback(rows)
    return {
      ...(headline === undefined ? {} : { headline }),
      ...(best === undefined || best === headline
        ? {}
        : { missing_headline: { metric: best, reason: reasonIn(rows, best) } }),
      metrics
    }
  })

/** One for the feeds of a process, which stay the same. */
const coverages = new WeakMap<ReadonlyArray<Manifest>, ReturnType<typeof coverageBy>>()

const none: ReadonlyArray<CurrentRow> = []

const shape: ListShape<SymbolRow> = {
  columns: columnsOf(SymbolRow),
  order: "list",
  key: ({ symbol }) => symbol,
  limit: { max: 2000, fallback: 2000 },
  past: isCatalogued
}

/** Every network of the catalog, in list order. */
const allRows = Effect.gen(function* () {
  const list = yield* listing
  const { manifests } = yield* Feeds
  const coverageOf = coverages.get(manifests) ?? coverageBy(manifests)
  coverages.set(manifests, coverageOf)
  const rows = catalogRows(list).map((row) => ({
    ...row,
    ...coverageOf(list.bySymbol.get(row.symbol) ?? none, row.symbol)
  }))
  return { list, rows }
})

export const symbols = Effect.fn("Data.symbols")(function* () {
  const { list, rows } = yield* allRows
  const response: SymbolsResponse = {
    generated_utc: isoTime(list.at),
    symbols: rows,
    n_symbols: rows.length
  }
  return response
})

/** What a caller selects of it; `n_symbols` counts what matches. Fails with `BadParameter` and `UnknownSymbol`. */
export const symbolsPage = Effect.fn("Data.symbolsPage")(function* (selection: Selection) {
  const { list, rows: all } = yield* allRows
  const chosen = yield* choose(selection, measuredIn(list))
  const rows = chosen.isAll
    ? all
    : all.filter(({ symbol }) => chosen.hasSymbol(symbol) && measures(chosen, list, symbol))
  const { items, next } = yield* pageOfRows(rows, selection, shape)
  const response: SymbolsResponse = {
    generated_utc: isoTime(list.at),
    symbols: items,
    n_symbols: rows.length,
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})
