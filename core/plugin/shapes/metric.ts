/** Metrics in short. */
import type { Metric } from "../Plugin.ts"
import type { Unit } from "../Value.ts"

/** A metric that cannot be below 0. */
export const metric = <const U extends Unit>(unit: U, meaning: string) =>
  ({ unit, min: 0, meaning }) as const satisfies Metric

/** A metric that cannot be below 0 and may fall to it from one reading to the next, without anything being wrong. */
export const mayDropToZero = <const U extends Unit>(unit: U, meaning: string) =>
  ({ unit, min: 0, collapse: 1, meaning }) as const satisfies Metric
