/** The series that may answer a question, and the order in which they do. */
import { bySymbol as catalog, isDepin } from "../../catalog/Catalog.ts"
import { measureOfLike } from "../../catalog/Measures.ts"
import { compareNumbers } from "../../plugin/index.ts"
import { compare } from "../../plugin/Value.ts"
import { mostAnswers, type SearchAnswer } from "../../wire/data/networks.ts"
import { counts } from "./byDefinition.ts"
import type { CurrentRow } from "./Current.ts"
import type { Listing } from "./listing.ts"
import { pickSource } from "./pickSource.ts"
import type { Index } from "./searchIndex.ts"
import { familyOf, type MetricWords } from "./searchMetrics.ts"
import type { Subject } from "./searchSubjects.ts"
import type { directionOf } from "./searchWords.ts"
import { type Chosen, chosenOf } from "./selection.ts"
import { valueRow } from "./valueRow.ts"

/** Which series may answer. */
export type Among = Pick<Chosen, "hasMetric" | "hasSymbol" | "isAll">

export const all: Among = chosenOf(undefined, undefined, undefined)

export const rowsAmong = (rows: ReadonlyArray<CurrentRow>, among: Among): ReadonlyArray<CurrentRow> =>
  among.isAll ? rows : rows.filter(({ row }) => among.hasSymbol(row.symbol) && among.hasMetric(row.metric))

export const rowsOf = (list: Listing, symbols: Iterable<string>): ReadonlyArray<CurrentRow> =>
  [...symbols].flatMap((symbol) => list.bySymbol.get(symbol) ?? [])

/** The measured series of one metric, and the market values that order networks. */
interface Measured {
  readonly byMetric: ReadonlyMap<string, ReadonlyArray<CurrentRow>>
  readonly value: (symbol: string) => number
}

const measuredOf = new WeakMap<Listing["bySymbol"], Measured>()

export const measured = ({ bySymbol }: Pick<Listing, "bySymbol">): Measured => {
  const before = measuredOf.get(bySymbol)
  if (before !== undefined) return before
  const byMetric = Map.groupBy([...bySymbol.values()].flat(), ({ row }) => row.metric)
  const values = new Map(
    (byMetric.get("market_cap_usd") ?? []).map(({ row }) => [row.symbol, row.value] as const)
  )
  const measurements: Measured = { byMetric, value: (symbol) => values.get(symbol) ?? 0 }
  measuredOf.set(bySymbol, measurements)
  return measurements
}

/** A series that may answer, and how well it does. */
export interface Candidate {
  readonly row: CurrentRow
  readonly subject: Subject
  readonly entry: MetricWords
  readonly score: number
  /** How many of the words what it is measured of says itself. */
  readonly nSaid: number
}

/** Wholes before their parts, DePIN networks before chains they are compared with, and the larger before the smaller. */
export const byImportance =
  ({ value }: Measured) =>
  (a: Subject, b: Subject): number =>
    a.place - b.place ||
    Number(isBaseline(a.symbol)) - Number(isBaseline(b.symbol)) ||
    value(b.symbol) - value(a.symbol) ||
    compare(a.symbol, b.symbol)

export const isBaseline = (symbol: string): boolean => {
  const network = catalog.get(symbol)
  return network !== undefined && !isDepin(network)
}

/** How well a metric answers, where what it is measured of says some of the words itself. */
export interface Score {
  readonly of: (entry: MetricWords, own: ReadonlyArray<string>) => number
  /** The words that may be said so. */
  readonly words?: ReadonlyArray<string>
}

/** Which of the series answer, by what their metrics are called and what they are measured of. */
export const candidatesOf = (
  index: Index,
  rows: ReadonlyArray<CurrentRow>,
  { of, words = [] }: Score
): ReadonlyArray<Candidate> => {
  const scores = new Map<string, Map<MetricWords, number>>()
  return rows.flatMap((row) => {
    const entry = index.entry(row.plugin, row.row.metric)
    const subject = index.subjects.bySymbol.get(row.row.symbol)
    if (entry === undefined || subject === undefined) return []
    const own = words.filter((word) => subject.says.has(word))
    const key = own.join(" ")
    const alike = scores.get(key) ?? new Map<MetricWords, number>()
    const score = alike.get(entry) ?? of(entry, own)
    scores.set(key, alike.set(entry, score))
    return score > 0 ? [{ row, subject, entry, score, nSaid: own.length }] : []
  })
}

/** One series of each network and metric: the source that stands for it elsewhere. */
export const onePerSeries = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> =>
  [...Map.groupBy(candidates, ({ row: { row } }) => `${row.symbol} ${row.metric}`).values()].flatMap((of) => {
    const { row } = of[0]?.row ?? {}
    const picked =
      row &&
      pickSource(
        row.symbol,
        row.metric,
        of.map((candidate) => ({ source: candidate.row.row.source, asOf: candidate.row.asOf, candidate }))
      )
    return picked === undefined ? [] : [picked.candidate]
  })

type Order = ReturnType<typeof byImportance>

/** What one of several measures counts: the measure that a series is of. */
const measureOf = ({ entry, subject }: Candidate) => measureOfLike(entry.metric, [subject.symbol])

/** Whether a series may be put in one order with the best: of one family or one measure, or answering equally well in one unit; and of the category that is asked for. */
const isAlike = (a: Candidate, best: Candidate): boolean => {
  const measure = measureOf(best)
  return (
    a.nSaid >= best.nSaid &&
    (familyOf(a.entry.metric) === familyOf(best.entry.metric) ||
      (measure !== undefined && measureOf(a) === measure) ||
      (a.entry.declared.unit === "bytes" && best.entry.declared.unit === "bytes" && a.score >= best.score))
  )
}

/** The series of the metric that answers best, or of its family, come first, by their values, where a question asks for the most or the least of it. */
const inDirection = (
  sorted: ReadonlyArray<Candidate>,
  direction: ReturnType<typeof directionOf>
): ReadonlyArray<Candidate> => {
  const [best] = sorted
  if (direction === undefined || best === undefined) return sorted
  const isOf = (one: Candidate) => isAlike(one, best)
  const sign = direction === "lowest" ? 1 : -1
  const counted = sorted.filter((one) => isOf(one) && counts(one.row))
  return [
    ...counted.toSorted(
      (a, b) =>
        Number(isBaseline(a.subject.symbol)) - Number(isBaseline(b.subject.symbol)) ||
        sign * compareNumbers(a.row.row.value, b.row.row.value)
    ),
    ...sorted.filter((one) => !isOf(one))
  ]
}

/** Best first; of the same metric at most `most`, so that others are seen too. */
export const answersOf = (
  candidates: ReadonlyArray<Candidate>,
  { direction, order }: { readonly order: Order; readonly direction: ReturnType<typeof directionOf> },
  most: number
): ReadonlyArray<SearchAnswer> => {
  const counts = new Map<string, number>()
  const sorted = onePerSeries(candidates).toSorted(
    (a, b) => b.score - a.score || order(a.subject, b.subject) || rank(a) - rank(b) || byMetricName(a, b)
  )
  // Of countries the largest are asked for, whether that is said or not.
  const isOfCountries = sorted[0]?.entry.metric.includes("_country_") === true
  return inDirection(sorted, direction ?? (isOfCountries ? "highest" : undefined))
    .filter(({ entry }) => {
      const n = (counts.get(entry.metric) ?? 0) + 1
      counts.set(entry.metric, n)
      return n <= most
    })
    .slice(0, mostAnswers)
    .map(({ entry, row, subject }) => answerOf(row, subject, entry))
}

export const answerOf = (row: CurrentRow, { name }: Subject, { declared }: MetricWords): SearchAnswer => ({
  ...valueRow(row),
  name,
  meaning: declared.meaning
})

export const byMetricName = (a: Candidate, b: Candidate): number => compare(a.entry.metric, b.entry.metric)

export const rank = ({ entry }: Candidate): number => (entry.declared.role === "headline" ? 0 : 1)

/** All series that are measured. */
export const everything = (list: Listing): ReadonlyArray<CurrentRow> =>
  [...measured(list).byMetric.values()].flat()
