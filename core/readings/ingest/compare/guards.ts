/** Ingest guards: check a value against its bounds and what its series was. */
import { excessOf } from "../../../plugin/Manifest.ts"
import { has, type Unit, units } from "../../../plugin/units.ts"
import { type Figure, isWhereItWas, noPast, type Past, rescaled } from "./scale.ts"

/** Units of counts and stocks, which do not drop by nine tenths between two readings. */
export const stocks: ReadonlyArray<Unit> = units.filter((unit) => has(unit, "stock"))

/** Small numbers below this may well drop to 0. */
export const smallest = 20

/** Why a value is held back, and by which guard. */
export interface Guarded {
  readonly guard: "bounds" | "fall" | "rise"
  readonly reason: string
}

/**
 * Why a value must not be served at once; undefined if it passes. `before` is the series' last accepted value, if any; `mayFall`
 * is false for a figure that its manifest says never falls; `past` is what else is known of the series (`scale.ts`), without which
 * it is judged as a young one.
 */
export const checkGuards = (
  figure: Figure,
  value: number,
  before: number | undefined,
  { mayFall = true, past = noPast }: { readonly mayFall?: boolean; readonly past?: Past } = {}
): Guarded | undefined => {
  const broken = brokenBound(figure, value)
  if (broken !== undefined) return { guard: "bounds", reason: broken }
  if (before === undefined) return undefined
  const reason = fallOf(figure, value, before, mayFall, past) ?? rescaled(figure, value, before, past)
  return reason === undefined ? undefined : { guard: value < before ? "fall" : "rise", reason }
}

const brokenBound = ({ metric }: Figure, value: number): string | undefined => {
  if (metric.min !== undefined && value < metric.min)
    return `${value} is below the least possible value ${metric.min}`
  return excessOf(metric, value)
}

const fallOf = (
  { metric }: Figure,
  value: number,
  before: number,
  mayFall: boolean,
  past: Past
): string | undefined => {
  if (!mayFall && value < before)
    return `${value} is less than ${before}, the last accepted value of a figure that never falls`
  const share = metric.collapse ?? (has(metric.unit, "stock") ? 0.9 : 1)
  if (share >= 1 || before < smallest || value >= before * (1 - share)) return undefined
  // Where the series was before, a value may return; that it was 0 says nothing of a fall to 0.
  if (value > 0 && isWhereItWas(value, before, past)) return undefined
  return `${value} is a fall of more than ${Math.round(share * 100)} % from ${before}, the last accepted value`
}
