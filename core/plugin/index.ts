/** What every plugin imports, as `#plugin`; a shape is `#plugin/<file>`. */
export * as Plugin from "./Plugin.ts"
export { mayDropToZero, metric, signed } from "./shapes/metric.ts"
export * as Upstream from "./Upstream.ts"
export { compare, fromBaseUnits, isoTime, type Unit } from "./Value.ts"
