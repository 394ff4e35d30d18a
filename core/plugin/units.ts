/**
 * Units a metric may be given in. All that is known of one is its line of `units.json`: a new unit is a new line. Browsers load this
 * file, so that it imports no library; the schema is in `Value.ts`.
 */
import unitsJson from "./units.json" with { type: "json" }

/** A unit's name, as it is in rows. What is published keeps its unit, so that lines are only added. */
export type Unit = keyof typeof unitsJson

/**
 * What may be true of a unit's values.
 *
 * - `whole`: they are whole numbers.
 * - `single`: they count things one by one, so that a move by a few is small.
 * - `stock`: a count or a stock, which does not drop by nine tenths between two readings.
 * - `unscaled`: shares, changes, ranks, flags and dates, which do not move by factors.
 * - `never_negative`: metrics of it need a lower bound.
 * - `by_points`: they are percentages, whose moves are points.
 * - `no_distance`: the difference of two of them says nothing.
 */
export type Trait = "whole" | "single" | "stock" | "unscaled" | "never_negative" | "by_points" | "no_distance"

/** By how much two readings of one figure may differ: by a share of the larger one, or by so much in its unit. 0: not at all. */
export type Tolerance = { readonly relative: number } | { readonly absolute: number }

interface Facts {
  /** For readers who do not know it. */
  readonly means: string
  /** What stands behind a number on a page; nothing where the name of the metric says it. Default: the unit itself. */
  readonly word?: string
  /** How names of metrics end that must be in this unit. */
  readonly ending?: string
  readonly is?: ReadonlyArray<string>
  /** Why the ratio of two of its values says nothing. Default: it says something. */
  readonly no_ratio?: string
  /** How far two readings of one figure may lie apart that were made within some hours. Default: 1 % of the larger one. */
  readonly agrees?: Tolerance
  /** No value of a metric is larger, above 0 or below, unless its manifest says so (`max`). */
  readonly greatest: number
  /** Why none is. */
  readonly because: string
}

/** A manifest that nobody compiled may name a unit that is none. */
const facts: Readonly<Record<string, Facts | undefined>> = unitsJson

/** All units, in the order of the file. */
export const units = Object.keys(facts) as ReadonlyArray<Unit>

/** Whether something is true of a unit's values. */
export const has = (unit: string, trait: Trait): boolean => facts[unit]?.is?.includes(trait) === true

/** Why the ratio of two values of a unit says nothing, as a clause; undefined where it says something. */
export const noRatioOf = (unit: string): string | undefined => facts[unit]?.no_ratio

/** The greatest possible value in a unit, and why; in one that nobody knows, the greatest whole number that a double holds. */
export const greatestIn = (unit: string): Pick<Facts, "greatest" | "because"> =>
  facts[unit] ?? { greatest: Number.MAX_SAFE_INTEGER, because: "larger whole numbers are rounded" }

/** How far what two operators read of one figure in a unit may lie apart, where its manifest does not say. */
export const toleranceIn = (unit: string): Tolerance => facts[unit]?.agrees ?? { relative: 0.01 }

/** The unit as a word after a number; empty where the number, or the name of the metric, says it all. */
export const wordOf = (unit: Unit): string => facts[unit]?.word ?? unit

/** What each unit is, for readers who do not know it. */
export const meanings: ReadonlyArray<readonly [unit: Unit, meaning: string]> = units.map((unit) => [
  unit,
  facts[unit]?.means ?? ""
])

/** The unit that a metric must have whose name ends so; undefined where the name says nothing of it. */
export const unitNamed = (metric: string): Unit | undefined =>
  units.find((unit) => {
    const ending = facts[unit]?.ending
    return ending !== undefined && metric.toLowerCase().endsWith(ending)
  })
