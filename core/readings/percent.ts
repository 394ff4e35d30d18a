/** Percentages as every answer, product and page computes them. */

/** The change in percent of |from|; undefined where it is not a number, as from 0, or beyond what a double holds. */
export const percentChange = (from: number, to: number): number | undefined => {
  const change = (100 * (to - from)) / Math.abs(from)
  return Number.isFinite(change) ? change : undefined
}

/** Rounded to two decimals; never -0. */
export const twoDecimals = (value: number): number => Math.round(value * 100) / 100 + 0
