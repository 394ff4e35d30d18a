/** Inputs of the products: each network's measured values by metric, and texts shared by all payloads. */
import { Effect } from "effect"
import { networks as catalog, isDepin, type Network } from "../../catalog/Catalog.ts"
import { Category } from "../../plugin/kinds.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { counts, isMeasured, whyLeftOut } from "../../readings/read/byDefinition.ts"
import type { Current, CurrentRow } from "../../readings/read/Current.ts"
import { isRecent, type Listing, listing } from "../../readings/read/listing.ts"
import { pickSource } from "../../readings/read/pickSource.ts"
import { ofAll, Readable } from "../../readings/read/readable.ts"
import type { Versions } from "../../readings/read/Versions.ts"
import { marksOf } from "../../readings/read/valueRow.ts"
import type { Input, LeftOut } from "../../wire/products/payload.ts"

/** A part of the values: the metrics by name, or by what is true of a row. */
export type Part = ReadonlyArray<string> | ((row: CurrentRow) => boolean)

export const isIn = (part: Part): ((row: CurrentRow) => boolean) => {
  if (typeof part === "function") return part
  const names = new Set(part)
  return ({ row }) => names.has(row.metric)
}

/** A rule that all products follow. */
export const liveRule =
  "A value counts while it is younger than 7 days at generated_utc, but no 0 that a method states and nobody counted. With several sources, the catalog's primary " +
  "is used, else the newest."
/** The rule of products that read many networks. */
export const depinRule =
  "Networks of the category reference (general chains, oracles, exchanges) are left out: they are baselines and not DePIN."
export const heuristicRule =
  "An ordinal heuristic over point estimates, not a calibrated measurement: it ranks networks, but differences in score mean nothing."

export const inputOf = (current: CurrentRow): Input => {
  const { row } = current
  return {
    metric: row.metric,
    value: row.value,
    ...(row.value_text === undefined ? {} : { value_text: row.value_text }),
    unit: row.unit,
    source: row.source,
    verify_url: row.verify_url,
    as_of: row.as_of,
    ...marksOf(current)
  }
}

export interface Measured {
  readonly symbol: string
  /** The value that figures are computed from; undefined if not measured, or by no confirmed feed. */
  readonly of: (metric: string) => CurrentRow | undefined
  /** The live rows of the network, sorted by metric and source. */
  readonly rows: ReadonlyArray<CurrentRow>
  /** Those that figures are computed from: of confirmed feeds. */
  readonly confirmed: ReadonlyArray<CurrentRow>
  /** Recent rows that are not among those, each with the reason: of a feed that nothing has confirmed, or a zero that nobody counted. */
  readonly leftOut: ReadonlyArray<readonly [CurrentRow, LeftOut["reason"]]>
  /**
   * The same as `of`, also where the source does not let its value be sold: for figures from which the value cannot be told, such
   * as a share or a ratio. The value itself must not be in what is made.
   */
  readonly behind: Measured["of"]
  /** The live rows that are not in `rows`, because their sources do not let them be sold. */
  readonly withheld: ReadonlyArray<CurrentRow>
}

export interface Readings {
  /** ISO time of the data. */
  readonly generated_utc: string
  /** The same in epoch milliseconds. */
  readonly at: number
  readonly measured: (symbol: string) => Measured
  /** Sorted symbols with a live value, including physical-world sectors. */
  readonly symbols: ReadonlyArray<string>
}

const none: ReadonlyArray<CurrentRow> = []

/** Of some rows of a network the one that stands for a metric. */
const picked = (symbol: string, rows: ReadonlyArray<CurrentRow>): Measured["of"] => {
  const byMetric = Map.groupBy(rows, ({ row }) => row.metric)
  return (metric) => {
    const [first, ...others] = byMetric.get(metric) ?? none
    if (first === undefined || others.length === 0) return first
    const candidates = [first, ...others].map((row) => ({ source: row.row.source, asOf: row.asOf, row }))
    return pickSource(symbol, metric, candidates)?.row
  }
}

/** `whole` is the list with what its sources do not let be sold. */
const readingsOf = (list: Listing, whole: Listing): Readings => {
  const measuredBySymbol = new Map<string, Measured>()
  const recent = isRecent(list.at)
  const measured = (symbol: string): Measured => {
    const before = measuredBySymbol.get(symbol)
    if (before !== undefined) return before
    const all = (list.bySymbol.get(symbol) ?? none).filter(recent)
    const leftOut = all.flatMap((row) => {
      const why = whyLeftOut(row)
      return why === undefined ? [] : [[row, why] as const]
    })
    const rows = leftOut.length === 0 ? all : all.filter(isMeasured)
    const confirmed = leftOut.length === 0 ? all : all.filter(counts)
    const of = picked(symbol, confirmed)
    const everything = list === whole ? all : (whole.bySymbol.get(symbol) ?? none).filter(recent)
    const withheld = everything.length === all.length ? none : everything.filter((row) => !all.includes(row))
    const behind = withheld.length === 0 ? of : picked(symbol, everything.filter(counts))
    const network = { symbol, of, rows, confirmed, leftOut, behind, withheld }
    measuredBySymbol.set(symbol, network)
    return network
  }
  return {
    generated_utc: isoTime(list.at),
    at: list.at,
    measured,
    symbols: [...list.bySymbol.keys()].sort(compare).filter((symbol) => measured(symbol).rows.length > 0)
  }
}

/** Caches by the list's rows: a snapshot never changes, so products made from it share what is derived. */
const cachedReadings = new WeakMap<Listing["rows"], Readings>()

/** The current live values. */
export const readings: Effect.Effect<Readings, never, Current | Versions> = Effect.gen(function* () {
  const list = yield* listing
  const before = cachedReadings.get(list.rows)
  if (before?.at === list.at) return before
  const built = readingsOf(list, (yield* Readable) === undefined ? list : yield* ofAll(listing))
  cachedReadings.set(list.rows, built)
  return built
})

/** The catalog's DePIN networks, sorted by symbol: see `depinRule`. */
export const networks: ReadonlyArray<Network> = catalog
  .filter(isDepin)
  .toSorted((a, b) => compare(a.symbol, b.symbol))

/** Their categories, sorted by name. */
export const categories: ReadonlyArray<Category> = Category.literals.filter((category) =>
  isDepin({ category })
)

/** A network's values for some metrics: the available ones as inputs, and the names of the missing ones. */
export const take = <const Metric extends string>(network: Measured, metrics: ReadonlyArray<Metric>) => {
  const rows = new Map<Metric, CurrentRow>()
  const missing_fields: Array<string> = []
  for (const metric of metrics) {
    const row = network.of(metric)
    if (row === undefined) missing_fields.push(metric)
    else rows.set(metric, row)
  }
  return {
    value: (metric: Metric): number | null => rows.get(metric)?.row.value ?? null,
    any: rows.size > 0,
    missing_fields,
    inputs: [...rows.values()].map(inputOf)
  }
}

/**
 * What figures made of this part of the values leave out, as the payload's member; none where all feeds are confirmed.
 * `symbols` are the networks that the product is about.
 */
export const leftOut = (
  { measured }: Readings,
  part: Part,
  symbols: Iterable<string> = networks.map(({ symbol }) => symbol)
): { readonly left_out?: ReadonlyArray<LeftOut> } => {
  const reads = isIn(part)
  const left_out = [...symbols].flatMap((symbol) => {
    const { leftOut, withheld } = measured(symbol)
    return [
      ...leftOut.flatMap(([row, reason]) => (reads(row) ? [leftOutRow(row, reason)] : [])),
      ...withheld.filter(reads).map((row) => leftOutRow(row, "rights"))
    ]
  })
  return left_out.length === 0 ? {} : { left_out }
}

const leftOutRow = ({ row: { metric, source, symbol } }: CurrentRow, reason: LeftOut["reason"]): LeftOut => ({
  symbol,
  metric,
  source,
  reason
})

/** What a sale of this part of the values has not, because the sources do not let it be sold; none where they do. */
export const withheldOf = (
  { measured }: Readings,
  part: Part,
  symbols: Iterable<string>
): { readonly left_out?: ReadonlyArray<LeftOut> } => {
  const reads = isIn(part)
  const left_out = [...symbols].flatMap((symbol) =>
    measured(symbol)
      .withheld.filter(reads)
      .map((row) => leftOutRow(row, "rights"))
  )
  return left_out.length === 0 ? {} : { left_out }
}

/** The quotient, or null if it is not a finite number. */
export const quotient = (a: number | null, b: number | null): number | null => {
  if (a === null || b === null || b === 0) return null
  const result = a / b
  return Number.isFinite(result) ? result : null
}

/** The arithmetic mean; null for an empty list. */
export const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0
    ? null
    : quotient(
        values.reduce((sum, value) => sum + value, 0),
        values.length
      )

/** Herfindahl-Hirschman index of parts of a whole: the sum of squared percent shares, 0 to 10,000. */
export const herfindahl = (parts: ReadonlyArray<number>): number | null => {
  const largest = Math.max(0, ...parts)
  if (largest === 0) return null
  // Scaled by the largest part to avoid overflow.
  const scaled = parts.map((part) => part / largest)
  const total = scaled.reduce((sum, part) => sum + part, 0)
  return scaled.reduce((sum, part) => sum + (100 * (part / total)) ** 2, 0)
}

/** Each part's share of the whole, in order; null if the whole is 0. */
export const sharesOf = (parts: ReadonlyArray<number>): ReadonlyArray<number | null> => {
  const largest = Math.max(0, ...parts)
  if (largest === 0) return parts.map(() => null)
  const total = parts.reduce((sum, part) => sum + part / largest, 0)
  return parts.map((part) => part / largest / total)
}
