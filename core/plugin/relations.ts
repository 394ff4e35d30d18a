/**
 * What must hold between the figures of one run: a part is not more than its whole, a sum is the sum of its parts. A manifest
 * declares relations with the functions below; `define` checks them before any row leaves the plugin.
 */
import { compare, type Observation } from "./Value.ts"

/** What a relation may allow. */
interface Allowed {
  /**
   * Metrics of it that may be missing, each by its name in the relation: the figures that they guard are given without them, and the
   * run says that the relation was not applied. Where any other is missing, those figures are refused.
   */
  readonly optional?: ReadonlyArray<string>
  /** The symbols that it holds for. Default: each that has a figure of it. */
  readonly symbols?: ReadonlyArray<string>

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
export type Relation<Name extends string = string> = Allowed &
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
  allowed: Allowed = {}
): Relation<Part | Whole> => ({
  kind: "partOf",
  parts: typeof part === "string" ? [part] : part,
  whole,
  ...allowed
})

/**
 * A total is the sum of its parts, of which a family counts with every member. Without a member for each of `words` the total
 * is refused: the sum lacks something that is always there. A sum over a family names at least one (`test/plugins/relations.test.ts`).
 */
export const sumOf = <const Total extends string, const Part extends string>(
  total: Total,
  parts: ReadonlyArray<Part>,
  { words = [], ...allowed }: Allowed & { readonly words?: ReadonlyArray<string> } = {}
): Relation<Total | Part> => ({ kind: "sumOf", total, parts, words, ...allowed })

/** A figure is not more than another of which it is no part: of 24 hours and of 7 days, a price and its daily high. */
export const atMost = <const Lower extends string, const Upper extends string>(
  lower: Lower,
  upper: Upper,
  allowed: Allowed = {}
): Relation<Lower | Upper> => ({ kind: "atMost", lower, upper, ...allowed })

/** Two figures are the same thing, read twice. */
export const equal = <const First extends string, const Second extends string>(
  first: First,
  second: Second,
  allowed: Allowed = {}
): Relation<First | Second> => ({ kind: "equal", first, second, ...allowed })

/**
 * A figure only grows: a height, a total of all time. A run does not know the value before; ingest holds back one that is lower
 * (`core/readings/ingest/compare/guards.ts`).
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
  /** Why it does not hold, with both numbers, or which figure is missing that it needs; undefined where it holds. */
  readonly broken: string | undefined
  /** What of it is missing that may be: the rows stand without it. */
  readonly missing?: ReadonlyArray<string>
}

/** How much two sums of doubles may differ although they are the same. */
const rounding = 1e-9

const exceeds = (a: number, b: number, { tolerance = 0 }: Allowed): boolean =>
  a - b > Math.max(tolerance, rounding) * Math.max(Math.abs(a), Math.abs(b))

/**
 * Applies relations to the rows of a run. Figures of one symbol are compared; where a metric has several rows, those of the same source
 * and time. A figure whose guard is missing is refused, or stands unchecked where the guard is optional.
 */
export const applyRelations = (
  relations: ReadonlyArray<Relation>,
  rows: ReadonlyArray<Observation>
): ReadonlyArray<Application> => {
  if (relations.length === 0) return []
  return [...Map.groupBy(rows, ({ symbol }) => symbol).values()].flatMap((ofSymbol) => {
    const byMetric = Map.groupBy(ofSymbol, ({ metric }) => metric)
    const symbol = ofSymbol[0]?.symbol ?? ""
    return relations
      .filter(({ symbols }) => symbols?.includes(symbol) ?? true)
      .flatMap((relation) => applyTo(relation, byMetric))
  })
}

/** The rows of one symbol by metric. */
type ByMetric = ReadonlyMap<string, ReadonlyArray<Observation>>

const applyTo = (relation: Relation, rows: ByMetric): ReadonlyArray<Application> => {
  const applied = comparedIn(relation, rows)
  const compared = new Set(applied.flatMap((application) => application.rows))
  return [...applied, ...incomplete(relation, rows, compared)]
}

/** The rows of a relation that were compared with none: what they are compared with is not there. */
const incomplete = (
  relation: Relation,
  rows: ByMetric,
  compared: ReadonlySet<Observation>
): ReadonlyArray<Application> => {
  if (relation.kind === "neverFalls") return []
  const names = metricsIn(relation)
  return names
    .flatMap((name) => rowsOf(name, rows).map((row) => ({ name, row })))
    .filter(({ row }) => !compared.has(row))
    .map(({ name, row }) => {
      const missing = names.filter((other) => other !== name && !isThere(other, name, row, rows))
      const needed = guardsOf(relation, name).filter(
        (guard) => missing.includes(guard) && relation.optional?.includes(guard) !== true
      )
      const broken =
        needed.length === 0
          ? undefined
          : `${figure(row)} cannot be compared: ${needed.join(", ")} ${needed.length === 1 ? "is" : "are"} missing`
      return { relation, rows: [row], broken, missing }
    })
}

/**
 * Which metrics of a relation guard one of them: a whole guards its parts, and an upper figure the lower one; in a sum and between
 * equals each guards the others.
 */
const guardsOf = (relation: Relation, name: string): ReadonlyArray<string> => {
  switch (relation.kind) {
    case "partOf":
      return name === relation.whole ? [] : [relation.whole]
    case "atMost":
      return name === relation.upper ? [] : [relation.upper]
    default:
      return metricsIn(relation).filter((other) => other !== name)
  }
}

/** Whether there is a row of this name that a row of another name of the relation would be compared with. */
const isThere = (other: string, name: string, row: Observation, rows: ByMetric): boolean =>
  partnersOf(other, name, row, rows).some(
    (ofMetric) => partner(row, ofMetric) !== undefined || isAmbiguous(row, ofMetric)
  )

/** Whether there are rows of several other sources: none of them is the one to compare with. */
const isAmbiguous = (row: Observation, rows: ReadonlyArray<Observation>): boolean =>
  rows.length > 1 && !rows.some(({ source }) => source === row.source)

/** Rows by metric of a name: of a family beside a family those of the same word. */
const partnersOf = (
  other: string,
  name: string,
  row: Observation,
  rows: ByMetric
): ReadonlyArray<ReadonlyArray<Observation>> =>
  other.endsWith("*") && name.endsWith("*")
    ? [rows.get(`${other.slice(0, -1)}${row.metric.slice(name.length - 1)}`) ?? []]
    : [...rows].flatMap(([metric, ofMetric]) => (namesMetric(other, metric) ? [ofMetric] : []))

const comparedIn = (relation: Relation, rows: ByMetric): ReadonlyArray<Application> => {
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
        : totals(relation.whole, relation.parts, rows)
            .filter(({ parts }) => parts.length > 0)
            .map(({ missing, parts, sum, total }) => ({
              relation,
              rows: [total, ...parts],
              broken: exceeds(sum, total.value, relation)
                ? `${partNames(relation.parts)} are ${sum} together, more than ${figure(total)}, of which they are parts`
                : undefined,
              missing
            }))
    case "sumOf":
      return totals(relation.total, relation.parts, rows).flatMap(
        ({ missing: parted, parts, sum, total }) => {
          if (parted.length > 0) return []
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
        }
      )
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

/** Each total with the rows of its parts, and which parts are missing: a family is where it has no member. */
const totals = (name: string, parts: ReadonlyArray<string>, rows: ByMetric) =>
  (rows.get(name) ?? []).flatMap((total) => {
    const ofParts = [...rows].filter(
      ([metric]) => metric !== name && parts.some((part) => namesMetric(part, metric))
    )
    const partners = ofParts.flatMap(([, ofMetric]) => partner(total, ofMetric) ?? [])
    const missing = parts.filter((part) => !partners.some(({ metric }) => namesMetric(part, metric)))
    const ordered = partners.toSorted((a, b) => compare(a.metric, b.metric))
    return [{ total, missing, parts: ordered, sum: ordered.reduce((sum, { value }) => sum + value, 0) }]
  })
