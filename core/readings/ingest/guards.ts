/** Ingest guards: check a value against its bounds and the last accepted value. */
import { excessOf, type Metric } from "../../plugin/Manifest.ts"
import { has, type Unit, units } from "../../plugin/units.ts"
import { jumpOf } from "./jump.ts"

/** Units of counts and stocks, which do not drop by nine tenths between two readings. */
export const stocks: ReadonlyArray<Unit> = units.filter((unit) => has(unit, "stock"))

/** Small numbers below this may well drop to 0. */
export const smallest = 20

/** Why a value is held back, and by which guard. */
export interface Guarded {
  readonly guard: "bounds" | "fall" | "rise"
  readonly reason: string
  /** True if a second run that agrees with the value releases it; otherwise a person does, or a second source. */
  readonly isReleasedByRun: boolean
}

/**
 * Why a value must not be served at once; undefined if it passes. `before` is the series' last accepted value, if any; `mayFall`
 * is false for a figure that its manifest says never falls; `days` and `hours` are accepted values of the last 30 days, for a
 * rise (`jump.ts`).
 */
export const checkGuards = (
  metric: Metric,
  value: number,
  before: number | undefined,
  {
    days = [],
    hours = [],
    mayFall = true
  }: {
    readonly days?: ReadonlyArray<number>
    readonly hours?: ReadonlyArray<number>
    readonly mayFall?: boolean
  } = {}
): Guarded | undefined => {
  const broken = brokenBound(metric, value)
  if (broken !== undefined) return { guard: "bounds", reason: broken, isReleasedByRun: false }
  if (before === undefined) return undefined
  const fall = fallOf(metric, value, before, mayFall)
  if (fall !== undefined) return { guard: "fall", reason: fall, isReleasedByRun: false }
  const jump = jumpOf(metric, value, before, days, hours)
  return jump && { guard: "rise", reason: jump.reason, isReleasedByRun: jump.isWeak }
}

const brokenBound = (metric: Metric, value: number): string | undefined => {
  if (metric.min !== undefined && value < metric.min)
    return `${value} is below the least possible value ${metric.min}`
  return excessOf(metric, value)
}

const fallOf = (metric: Metric, value: number, before: number, mayFall: boolean): string | undefined => {
  if (!mayFall && value < before)
    return `${value} is less than ${before}, the last accepted value of a figure that never falls`
  const share = metric.collapse ?? (has(metric.unit, "stock") ? 0.9 : 1)
  if (share < 1 && before >= smallest && value < before * (1 - share)) {
    return `${value} is a fall of more than ${Math.round(share * 100)} % from ${before}, the last accepted value`
  }
  return undefined
}
