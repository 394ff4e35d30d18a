/**
 * Reads the rows of values out of what was sold, wherever they are in it. Products have them in three shapes: a row of one
 * value, the daily history of a series in columns, and a row of figures that are named after their metrics.
 */
import { isRecord } from "./canonical.ts"
import * as s from "./shape.ts"

/** A value that a payload says a network had. */
export interface SoldRow {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  /** UTC day. */
  readonly day: string
  /** Of the reading; absent in a history, which has the last one of each day. */
  readonly as_of?: string
  /** The reading may be newer than `as_of`, which is the oldest of its row. */
  readonly orNewer?: true
  readonly value: number
  readonly value_text?: string
}

/** Products without such rows, and why: their figures can only be computed again. */
export const derivedProducts: Readonly<Record<string, string>> = {
  crypto_indicators: "its indicators and bars are computed from hourly bars",
  lead_lag_correlations: "its correlations are computed from hourly bars",
  market_regime: "its probabilities are computed from daily bars",
  signal_ledger: "its rows are a hash chain of their own: `verify signals` checks it",
  derivation_replay: "it holds what an upstream answered: `verify derivation` checks it",
  dag_manifold_30d: "it holds an API key and no values"
}

type Members = Readonly<Record<string, unknown>>

interface Origin {
  readonly source: string
  readonly as_of: string
}

const originOf = ({ as_of, source }: Members): Origin | undefined =>
  s.name.is(source) && s.time.is(as_of) ? { source, as_of } : undefined

const dayOf = (asOf: string): string => asOf.slice(0, 10)

const textOf = ({ value_text }: Members) => (typeof value_text === "string" ? { value_text } : {})

/** A row of one value; its network may be named by what it is in. */
const valueOf = (row: Members, symbol: string): ReadonlyArray<SoldRow> => {
  const origin = originOf(row)
  const { metric, value } = row
  if (origin === undefined || !s.name.is(metric) || !s.number.is(value)) return []
  return [{ symbol, metric, day: dayOf(origin.as_of), value, ...origin, ...textOf(row) }]
}

/** The days of a series in columns. */
const historyOf = (row: Members, symbol: string): ReadonlyArray<SoldRow> => {
  const { dates, metric, source, values } = row
  if (!Array.isArray(dates) || !Array.isArray(values) || !s.name.is(metric) || !s.name.is(source)) return []
  return dates.flatMap((day: unknown, place) => {
    const value: unknown = values[place]
    return s.day.is(day) && s.number.is(value) ? [{ symbol, metric, source, day, value }] : []
  })
}

/** Figures in US dollars are named after their metrics, and have the row's origin or one of their own. */
const figuresOf = (row: Members, symbol: string): ReadonlyArray<SoldRow> => {
  const common = originOf(row)
  if (common === undefined || "metric" in row) return []
  const own = isRecord(row["field_sources"]) ? row["field_sources"] : {}
  return Object.entries(row).flatMap(([metric, value]): ReadonlyArray<SoldRow> => {
    if (!metric.endsWith("_usd") || !s.number.is(value)) return []
    const named = own[metric]
    const origin = isRecord(named) ? originOf(named) : undefined
    return origin === undefined
      ? [{ symbol, metric, day: dayOf(common.as_of), value, ...common, orNewer: true }]
      : [{ symbol, metric, day: dayOf(origin.as_of), value, ...origin }]
  })
}

/** Every row of values in what was sold, in its order. */
export function* soldRows(data: unknown, of?: string): Generator<SoldRow> {
  if (Array.isArray(data)) {
    for (const one of data) yield* soldRows(one, of)
    return
  }
  if (!isRecord(data)) return
  const symbol = s.name.is(data["symbol"]) ? data["symbol"] : of
  if (symbol !== undefined) {
    yield* valueOf(data, symbol)
    yield* historyOf(data, symbol)
    yield* figuresOf(data, symbol)
  }
  for (const one of Object.values(data)) yield* soldRows(one, symbol)
}
