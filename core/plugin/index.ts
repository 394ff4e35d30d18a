/** What every plugin imports, as `#plugin`; a shape is `#plugin/<file>`. */

export { Decimal } from "./Decimal.ts"
export { compareNumbers, fromBaseUnits, isNumber, isSame } from "./decimals.ts"
export type { Flow } from "./flows.ts"
export type { Role } from "./kinds.ts"
export type { Evidence, Metric, PlainMetric } from "./Manifest.ts"
export * as Plugin from "./Plugin.ts"
export { atMost, equal, neverFalls, partOf, sumOf } from "./relations.ts"
export {
  breakdown,
  capacity,
  flow,
  headline,
  mayDropToZero,
  metric,
  parameter,
  signed
} from "./shapes/metric.ts"
export { everyUse, notHandedOn, readOn, termsOn } from "./shapes/provenance.ts"
export { day, hour, minute } from "./time.ts"
export { type Moment, type Numeric, Unreadable } from "./Unreadable.ts"
export * as Upstream from "./Upstream.ts"
export { compare, endOfDay, isoTime, type Unit } from "./Value.ts"
