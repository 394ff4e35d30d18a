/** Ingest guards: check a value against its bounds and the last accepted value. */
import type { Metric } from "../../plugin/Plugin.ts"
import type { Unit } from "../../plugin/Value.ts"

/** Units of counts and stocks, which do not drop by nine tenths between two readings. */
export const stocks: ReadonlySet<Unit> = new Set<Unit>([
  "count",
  "bytes",
  "gib",
  "cores",
  "satellites",
  "vessels",
  "aircraft",
  "notams"
])

/** Small numbers below this may well drop to 0. */
export const smallest = 20

/**
 * Why a person must review a value before it is served; undefined if it passes. `before` is the series' last accepted
 * value, if any; `mayFall` is false for a figure that its manifest says never falls.
 */
export const checkGuards = (
  metric: Metric,
  value: number,
  before: number | undefined,
  mayFall = true
): string | undefined => {
  if (metric.min !== undefined && value < metric.min)
    return `${value} is below the least possible value ${metric.min}`
  if (metric.max !== undefined && value > metric.max)
    return `${value} is above the greatest possible value ${metric.max}`
  if (!mayFall && before !== undefined && value < before)
    return `${value} is less than ${before}, the last accepted value of a figure that never falls`
  const share = metric.collapse ?? (stocks.has(metric.unit) ? 0.9 : 1)
  if (before !== undefined && share < 1 && before >= smallest && value < before * (1 - share)) {
    return `${value} is a fall of more than ${Math.round(share * 100)} % from ${before}, the last accepted value`
  }
  return undefined
}
