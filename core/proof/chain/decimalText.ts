/** Whole numbers of units as decimal numbers. */

/** More than any token has. */
export const mostDecimals = 36

/** A whole number of such units as a decimal number, without zeros at its end. */
export const decimalText = (units: bigint, decimals: number): string => {
  const digits = units.toString().padStart(decimals + 1, "0")
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  const whole = digits.slice(0, digits.length - decimals)
  return decimals === 0 || fraction === "" ? whole : `${whole}.${fraction}`
}
