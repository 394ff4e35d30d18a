/** What a list shows of each network: its headline value, and the market, fee and developer figures that are open to all. */
import { Effect } from "effect"
import type { SymbolRow } from "../../wire/data/symbols.ts"
import type { ValueRow } from "../../wire/data/valueRow.ts"
import type { CurrentRow } from "./Current.ts"
import { listing } from "./listing.ts"
import { type Figures, figuresOf } from "./metricColumns.ts"
import { pickSource } from "./pickSource.ts"
import { symbols } from "./symbols.ts"
import { valueRow } from "./valueRow.ts"

export const overviewFields = [
  "price_usd",
  "market_cap_usd",
  "fully_diluted_valuation_usd",
  "volume_24h_usd",
  "price_change_24h_pct",
  "price_change_7d_pct",
  "fees_24h_usd",
  "fees_7d_usd",
  "fees_30d_usd",
  "tvl_usd",
  "dev_stars",
  "dev_forks",
  "dev_open_issues",
  "dev_days_since_push"
] as const
export type OverviewField = (typeof overviewFields)[number]

const figures = figuresOf(overviewFields)

export interface Overview {
  readonly row: SymbolRow
  /** The latest value of what the network supplies; undefined where that is not measured. */
  readonly headline: ValueRow | undefined
  /** Undefined where none of the fields is measured. */
  readonly figures: Figures<OverviewField> | undefined
}

/** Only telemetry of now says what a network supplies: of market data the headline is a price. */
const headlineOf = (
  { headline, symbol, telemetry_tier }: SymbolRow,
  rows: ReadonlyArray<CurrentRow>
): ValueRow | undefined => {
  const candidates = rows
    .filter(({ row, tier }) => row.metric === headline && tier === "supply_telemetry")
    .map((row) => ({ source: row.row.source, asOf: row.asOf, row }))
  const answer =
    headline === undefined || telemetry_tier !== "first_party"
      ? undefined
      : pickSource(symbol, headline, candidates)
  return answer === undefined ? undefined : valueRow(answer.row)
}

/** One entry for each network of the catalog, in the order of `/v1/symbols`. */
export const overview = Effect.fn("Data.overview")(function* () {
  const { bySymbol } = yield* listing
  const { symbols: all } = yield* symbols()
  const figuresBySymbol = new Map(figures({ bySymbol }).map((one) => [one.symbol, one]))
  return all.map(
    (row): Overview => ({
      row,
      headline: headlineOf(row, bySymbol.get(row.symbol) ?? []),
      figures: figuresBySymbol.get(row.symbol)
    })
  )
})
