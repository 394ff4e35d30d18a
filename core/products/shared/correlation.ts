/** Correlation of two series. Loaded on first use, because the libraries have a whole textbook each. */
import jstat from "jstat"
import { sampleCorrelation } from "simple-statistics"

export interface Correlation {
  readonly r: number
  /** Two-sided p-value of Student's t with n - 2 degrees of freedom. */
  readonly p: number
}

/**
 * Pearson's r and its p-value. Undefined for fewer than 3 pairs or a constant series. Scales each series by its largest
 * magnitude first, so that no square overflows.
 */
export const correlation = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): Correlation | undefined => {
  const n = x.length
  if (n < 3 || y.length !== n || isConstant(x) || isConstant(y)) return undefined
  const coefficient = sampleCorrelation(scaled(x), scaled(y))
  if (!Number.isFinite(coefficient)) return undefined
  const r = Math.max(-1, Math.min(1, coefficient))
  // P(|T| > t) is the regularised incomplete beta of 1 - r² at (n - 2) / 2 and 1/2: this keeps the digits of small values.
  const p = jstat.ibeta(1 - r * r, (n - 2) / 2, 0.5)
  return typeof p === "number" && Number.isFinite(p) ? { r, p: Math.max(0, Math.min(1, p)) } : undefined
}

const isConstant = (values: ReadonlyArray<number>) => values.every((value) => value === values[0])

const scaled = (values: ReadonlyArray<number>): Array<number> => {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  return values.map((value) => value / largest)
}
