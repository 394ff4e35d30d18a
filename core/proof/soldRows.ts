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
  /** Where the payload says them. */
  readonly unit?: string
  readonly verify_url?: string
}

/** Something in a payload that no leaf can be compared with. */
export interface NoRow {
  /** A JSON pointer. */
  readonly place: string
  readonly why: string
}

/** What was sold, taken apart: rows of values, objects that look like rows and are none, and how many numbers are in no row. */
export interface SoldParts {
  readonly rows: ReadonlyArray<SoldRow>
  readonly noRows: ReadonlyArray<NoRow>
  readonly numbers: number
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

/** What a row says beside its value, with which a leaf is compared. */
const saysOf = ({ unit, value_text, verify_url }: Members) => ({
  ...(typeof value_text === "string" ? { value_text } : {}),
  ...(typeof unit === "string" ? { unit } : {}),
  ...(typeof verify_url === "string" ? { verify_url } : {})
})

/** A row of one value; its network may be named by what it is in. */
const valueOf = (row: Members, symbol: string): ReadonlyArray<SoldRow> => {
  const origin = originOf(row)
  const { metric, value } = row
  if (origin === undefined || !s.name.is(metric) || !s.number.is(value)) return []
  return [{ symbol, metric, day: dayOf(origin.as_of), value, ...origin, ...saysOf(row) }]
}

/** The days of a series in columns. */
const historyOf = (row: Members, symbol: string): ReadonlyArray<SoldRow> => {
  const { dates, metric, source, unit, values, verify_url } = row
  if (!Array.isArray(dates) || !Array.isArray(values) || !s.name.is(metric) || !s.name.is(source)) return []
  return dates.flatMap((day: unknown, place) => {
    const value: unknown = values[place]
    return s.day.is(day) && s.number.is(value)
      ? [{ symbol, metric, source, day, value, ...saysOf({ unit, verify_url }) }]
      : []
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

/** The rows that an object itself is, in whatever shape. */
const rowsOf = (data: Members, symbol: string | undefined): ReadonlyArray<SoldRow> =>
  symbol === undefined
    ? []
    : [...valueOf(data, symbol), ...historyOf(data, symbol), ...figuresOf(data, symbol)]

const symbolOf = ({ symbol }: Members, of: string | undefined): string | undefined =>
  s.name.is(symbol) ? symbol : of

/** Every row of values in what was sold, in its order. */
export function* soldRows(data: unknown, of?: string): Generator<SoldRow> {
  if (Array.isArray(data)) {
    for (const one of data) yield* soldRows(one, of)
    return
  }
  if (!isRecord(data)) return
  const symbol = symbolOf(data, of)
  yield* rowsOf(data, symbol)
  for (const one of Object.values(data)) yield* soldRows(one, symbol)
}

/** Why an object that names a network or a metric is no row, by what it lacks first. */
const whyNoRow = (data: Members, symbol: string | undefined): string => {
  if (symbol === undefined) return "no `symbol`"
  if (!s.name.is(data["metric"])) return "no `metric`, and no figure in US dollars with its source and time"
  if (!s.name.is(data["source"])) return "no `source`"
  if ("dates" in data || "values" in data) return "no `dates` with as many `values`"
  if (!s.time.is(data["as_of"])) return "no `as_of`"
  return s.number.is(data["value"]) ? "no row" : "no `value` that is a number"
}

/** Takes apart what was sold. Each number is in one row or counted; a history's day without a number is in neither. */
export const soldParts = (data: unknown): SoldParts => {
  const rows: Array<SoldRow> = []
  const noRows: Array<NoRow> = []
  let numbers = 0
  const walk = (value: unknown, place: string, of: string | undefined): void => {
    if (typeof value === "number") numbers++
    if (Array.isArray(value)) for (const [n, one] of value.entries()) walk(one, `${place}/${n}`, of)
    if (!isRecord(value)) return
    const symbol = symbolOf(value, of)
    const own = rowsOf(value, symbol)
    rows.push(...own)
    const before = rows.length + noRows.length
    for (const [name, one] of Object.entries(value)) walk(one, `${place}/${name}`, symbol)
    // Each of its rows has one of the numbers that were counted below.
    numbers -= own.length
    const isMore = own.length > 0 || rows.length + noRows.length > before
    // What only holds such objects is none itself.
    if (!isMore && ("symbol" in value || "metric" in value))
      noRows.push({ place: place === "" ? "/" : place, why: whyNoRow(value, symbol) })
  }
  walk(data, "", undefined)
  return { rows, noRows, numbers }
}
