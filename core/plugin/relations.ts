/**
 * What must hold between the figures of one run: a part is not more than its whole, a sum is the sum of its parts. A manifest
 * declares relations with the functions below; `define` checks them before any row leaves the plugin.
 */
import { compare, type Observation } from "./Value.ts"

/** What a relation may allow. */
interface Tolerance {
  /**
   * By what share of the larger figure the two may contradict each other, where they come from two addresses that are read a
   * moment apart. Default 0, which still forgives the rounding of doubles.
   */
  readonly tolerance?: number
}

/**
 * A relation between metrics of a manifest. A name that ends in a star is a family: against another family member by member,
 * each with the member of the same word; against a single metric each member by itself.
 */
export type Relation<Name extends string = string> = Tolerance &
  (
    | { readonly kind: "partOf"; readonly parts: ReadonlyArray<Name>; readonly whole: Name }
    | {
        readonly kind: "sumOf"
        readonly total: Name
        readonly parts: ReadonlyArray<Name>
        readonly words: ReadonlyArray<string>
      }
    | { readonly kind: "atMost"; readonly lower: Name; readonly upper: Name }
    | { readonly kind: "equal"; readonly first: Name; readonly second: Name }
    | { readonly kind: "neverFalls"; readonly metric: Name }
  )

/** A part is not more than its whole. Several parts, or a family in a list, are not more than it together. */
export const partOf = <const Part extends string, const Whole extends string>(
  part: Part | ReadonlyArray<Part>,
  whole: Whole,
  tolerance: Tolerance = {}
): Relation<Part | Whole> => ({
  kind: "partOf",
  parts: typeof part === "string" ? [part] : part,
  whole,
  ...tolerance
})

/**
 * A total is the sum of its parts, of which a family counts with every member. Without a member for each of `words` the total
 * is refused: the sum lacks something that is always there.
 */
export const sumOf = <const Total extends string, const Part extends string>(
  total: Total,
  parts: ReadonlyArray<Part>,
  { words = [], ...tolerance }: Tolerance & { readonly words?: ReadonlyArray<string> } = {}
): Relation<Total | Part> => ({ kind: "sumOf", total, parts, words, ...tolerance })

/** A figure is not more than another of which it is no part: of 24 hours and of 7 days, a price and its daily high. */
export const atMost = <const Lower extends string, const Upper extends string>(
  lower: Lower,
  upper: Upper,
  tolerance: Tolerance = {}
): Relation<Lower | Upper> => ({ kind: "atMost", lower, upper, ...tolerance })

/** Two figures are the same thing, read twice. */
export const equal = <const First extends string, const Second extends string>(
  first: First,
  second: Second,
  tolerance: Tolerance = {}
): Relation<First | Second> => ({ kind: "equal", first, second, ...tolerance })

/**
 * A figure only grows: a height, a total of all time. A run does not know the value before; ingest holds back one that is lower
 * (`core/readings/ingest/guards.ts`).
 */
export const neverFalls = <const Name extends string>(metric: Name): Relation<Name> => ({
  kind: "neverFalls",
  metric
})

/** The metrics that a relation names, families by their star. */
export const metricsIn = (relation: Relation): ReadonlyArray<string> => {
  switch (relation.kind) {
    case "partOf":
      return [...relation.parts, relation.whole]
    case "sumOf":
      return [relation.total, ...relation.parts]
    case "atMost":
      return [relation.lower, relation.upper]
    case "equal":
      return [relation.first, relation.second]
    case "neverFalls":
      return [relation.metric]
  }
}

/** Whether a name of a relation stands for a metric: by itself, or as the family that the metric is a member of. */
const namesMetric = (name: string, metric: string): boolean =>
  name.endsWith("*") ? metric.startsWith(name.slice(0, -1)) : metric === name

/** Whether a manifest says that a metric never falls. */
export const isNeverFalling = (relations: ReadonlyArray<Relation> | undefined, metric: string): boolean =>
  relations?.some((relation) => relation.kind === "neverFalls" && namesMetric(relation.metric, metric)) ===
  true

/** One application of a relation to rows of a run. */
export interface Application {
  readonly relation: Relation
  /** The rows that it compares. */
  readonly rows: ReadonlyArray<Observation>
  /** Why it does not hold, with both numbers; undefined where it holds. */
  readonly broken: string | undefined
}

/** How much two sums of doubles may differ although they are the same. */
const rounding = 1e-9

const exceeds = (a: number, b: number, { tolerance = 0 }: Tolerance): boolean =>
  a - b > Math.max(tolerance, rounding) * Math.max(Math.abs(a), Math.abs(b))

/**
 * Applies relations to the rows of a run, wherever the rows that they name are there. Figures of one symbol are compared; where a
 * metric has several rows, those of the same source and time.
 */
export const applyRelations = (
  relations: ReadonlyArray<Relation>,
  rows: ReadonlyArray<Observation>
): ReadonlyArray<Application> => {
  if (relations.length === 0) return []
  return [...Map.groupBy(rows, ({ symbol }) => symbol).values()].flatMap((ofSymbol) => {
    const byMetric = Map.groupBy(ofSymbol, ({ metric }) => metric)
    return relations.flatMap((relation) => applyTo(relation, byMetric))
  })
}

/** The rows of one symbol by metric. */
type ByMetric = ReadonlyMap<string, ReadonlyArray<Observation>>

const applyTo = (relation: Relation, rows: ByMetric): ReadonlyArray<Application> => {
  switch (relation.kind) {
    case "partOf":
      return relation.parts.length === 1
        ? pairs(relation.parts[0] ?? "", relation.whole, rows).map(([part, whole]) =>
            compared(
              relation,
              [part, whole],
              exceeds(part.value, whole.value, relation),
              (names) => `${names[0]} is more than ${names[1]}, of which it is a part`
            )
          )
        : totals(relation.whole, relation.parts, rows).map(({ parts, sum, total }) => ({
            relation,
            rows: [total, ...parts],
            broken: exceeds(sum, total.value, relation)
              ? `${partNames(relation.parts)} are ${sum} together, more than ${figure(total)}, of which they are parts`
              : undefined
          }))
    case "sumOf":
      return totals(relation.total, relation.parts, rows).map(({ parts, sum, total }) => {
        const missing = relation.words.filter(
          (word) => !parts.some(({ metric }) => isMember(relation, metric, word))
        )
        if (missing.length > 0) {
          const reason = `${figure(total)} is a sum without ${missing.join(", ")}`
          return { relation, rows: [total], broken: reason }
        }
        const differs = exceeds(sum, total.value, relation) || exceeds(total.value, sum, relation)
        return {
          relation,
          rows: [total, ...parts],
          broken: differs
            ? `${figure(total)}, and its parts ${partNames(relation.parts)} make ${sum}`
            : undefined
        }
      })
    case "atMost":
      return pairs(relation.lower, relation.upper, rows).map(([lower, upper]) =>
        compared(
          relation,
          [lower, upper],
          exceeds(lower.value, upper.value, relation),
          (names) => `${names[0]} is more than ${names[1]}`
        )
      )
    case "equal":
      return pairs(relation.first, relation.second, rows).map(([first, second]) =>
        compared(
          relation,
          [first, second],
          exceeds(first.value, second.value, relation) || exceeds(second.value, first.value, relation),
          (names) => `${names[0]} is not ${names[1]}, although both are the same figure`
        )
      )
    case "neverFalls":
      return []
  }
}

const figure = ({ metric, value }: Observation): string => `${metric} ${value}`

const partNames = (parts: ReadonlyArray<string>): string => parts.join(", ")

const compared = (
  relation: Relation,
  rows: readonly [Observation, Observation],
  isBroken: boolean,
  reason: (names: readonly [string, string]) => string
): Application => ({
  relation,
  rows,
  broken: isBroken ? reason([figure(rows[0]), figure(rows[1])]) : undefined
})

const isMember = (
  { parts }: { readonly parts: ReadonlyArray<string> },
  metric: string,
  word: string
): boolean =>
  parts.some((part) =>
    part.endsWith("*") ? metric === `${part.slice(0, -1)}${word}` : part === word && metric === word
  )

/** The row to compare with: of the same source and time where there is one, else the only one. */
const partner = (row: Observation, rows: ReadonlyArray<Observation>): Observation | undefined => {
  const ofSource = rows.filter(({ source }) => source === row.source)
  return (
    ofSource.find(({ as_of }) => as_of === row.as_of) ??
    (ofSource.length === 1 ? ofSource[0] : ofSource.length === 0 && rows.length === 1 ? rows[0] : undefined)
  )
}

/** The rows of a metric, or of every member of a family. */
const rowsOf = (name: string, rows: ByMetric): ReadonlyArray<Observation> =>
  name.endsWith("*")
    ? [...rows].flatMap(([metric, ofMetric]) => (namesMetric(name, metric) ? ofMetric : []))
    : (rows.get(name) ?? [])

/** Rows of a name with their partner among the rows of another. */
const pairs = (
  name: string,
  other: string,
  rows: ByMetric
): ReadonlyArray<readonly [Observation, Observation]> =>
  rowsOf(name, rows).flatMap((row) => {
    const partnerMetric =
      name.endsWith("*") && other.endsWith("*")
        ? `${other.slice(0, -1)}${row.metric.slice(name.length - 1)}`
        : other
    const match = partner(row, rows.get(partnerMetric) ?? [])
    return match === undefined || match === row ? [] : [[row, match] as const]
  })

/** Each total with the rows of its parts; none where a part that is no family is missing, or a family has no member. */
const totals = (name: string, parts: ReadonlyArray<string>, rows: ByMetric) =>
  (rows.get(name) ?? []).flatMap((total) => {
    const ofParts = [...rows].filter(
      ([metric]) => metric !== name && parts.some((part) => namesMetric(part, metric))
    )
    const partners = ofParts.flatMap(([, ofMetric]) => partner(total, ofMetric) ?? [])
    const isComplete = parts.every((part) => partners.some(({ metric }) => namesMetric(part, metric)))
    if (!isComplete) return []
    const ordered = partners.toSorted((a, b) => compare(a.metric, b.metric))
    return [{ total, parts: ordered, sum: ordered.reduce((sum, { value }) => sum + value, 0) }]
  })
