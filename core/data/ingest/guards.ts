/** Guards at ingest: what a value must not do against its bounds and the last accepted value. */
import type { Metric } from "../../plugin/Plugin.ts"
import type { Unit } from "../../plugin/Value.ts"

/** Units of things that are counted or measured as a stock: these do not fall by nine tenths between two reads. */
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

/** Below this a fall to nothing is the ordinary life of a small number. */
export const smallest = 20

/**
 * Why a value must be looked at by a person before it is served; undefined when it may pass.
 * `before` is the last accepted value of the series, where there is one.
 */
export const checkGuards = (
  metric: Metric,
  value: number,
  before: number | undefined
): string | undefined => {
  if (metric.min !== undefined && value < metric.min)
    return `${value} is below the least possible value ${metric.min}`
  if (metric.max !== undefined && value > metric.max)
    return `${value} is above the greatest possible value ${metric.max}`
  const share = metric.collapse ?? (stocks.has(metric.unit) ? 0.9 : 1)
  if (before !== undefined && share < 1 && before >= smallest && value < before * (1 - share)) {
    return `${value} is a fall of more than ${Math.round(share * 100)} % from ${before}, the last accepted value`
  }
  return undefined
}
