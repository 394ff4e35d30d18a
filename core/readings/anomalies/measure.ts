/** How the moves of a series are measured: in proportion, in its own unit, or not at all. */
import { median } from "simple-statistics"
import { has, noRatioOf } from "../../plugin/units.ts"
import { constants } from "./constants.ts"

/** A measure of places: a path is made of them, and what was expected of it is a value again. */
export interface Measure {
  readonly kind: "proportion" | "unit"
  readonly of: (value: number) => number
  readonly value: (place: number) => number
  /** The smallest spread of moves. */
  readonly least: number
}

/** Natural logarithms: a step of 0.01 is 1 %. */
const proportion: Measure = {
  kind: "proportion",
  of: Math.log,
  value: Math.exp,
  least: constants.leastRatio
}

const itself = (value: number): number => value

/** The unit of the values; of percentages in points. */
export const ownUnit = (unit: string, values: ReadonlyArray<number>): Measure => ({
  kind: "unit",
  of: itself,
  value: itself,
  least: Math.max(
    has(unit, "by_points") ? constants.leastPoints : 0,
    constants.leastRatio * median(values.map(Math.abs)),
    Number.MIN_VALUE
  )
})

/**
 * The measure of a series: by the same rule as its change in percent (`change.ts`), proportions where its unit has ratios and all values
 * are above 0, else its own unit. Undefined where a move says nothing: of flags, of dates, and of ranks, which the others move.
 */
export const measureOf = (unit: string, values: ReadonlyArray<number>): Measure | undefined => {
  if (has(unit, "no_distance") || unit === "rank") return undefined
  return noRatioOf(unit) === undefined && values.every((value) => value > 0)
    ? proportion
    : ownUnit(unit, values)
}
