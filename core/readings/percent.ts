/** Percentages as every answer, product and page rounds them. */

/** Rounded to two decimals; never -0. */
export const twoDecimals = (value: number): number => Math.round(value * 100) / 100 + 0
