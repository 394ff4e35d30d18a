/** `/v1/symbols`: the whole catalog with what is measured of each network, and no values. */
import { Effect } from "effect"
import { headlineOf } from "../../plugin/Plugin.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { SymbolsResponse } from "../../wire/data/symbols.ts"
import { Feeds } from "../Feeds.ts"
import type { CurrentRow } from "./Current.ts"
import { eachSymbol, listing } from "./listing.ts"
import { catalogRows } from "./networks.ts"

const measured = eachSymbol((rows) => [...new Set(rows.map(({ row }) => row.metric))])

/** What stands for a network whose plugins name no headline, by kind of telemetry; of market data, the price. */
const fallback = (rows: ReadonlyArray<CurrentRow>): string | undefined =>
  (
    rows.find(({ tier }) => tier === "supply_telemetry" || tier === "physical") ??
    rows.find(({ row }) => row.metric === "price_usd") ??
    rows[0]
  )?.row.metric

export const symbols = Effect.fn("Data.symbols")(function* () {
  const list = yield* listing
  const { manifests } = yield* Feeds
  const rows = catalogRows(list).map((row) => {
    const of = list.bySymbol.get(row.symbol) ?? []
    const metrics = measured(of, row.symbol)
    const headline = headlineOf(manifests, row.symbol, metrics) ?? fallback(of)
    return { ...row, ...(headline === undefined ? {} : { headline }), metrics }
  })
  const response: SymbolsResponse = {
    generated_utc: isoTime(list.at),
    symbols: rows,
    n_symbols: rows.length
  }
  return response
})
