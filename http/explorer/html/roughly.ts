/**
 * How a value looks where it is read at a glance: the one rule of lists, sentences and small charts. What is counted one by one keeps
 * its digits, money and tokens have three from a thousand on, and no other number of a thousand or more has decimals. The exact
 * number is in the title, on the page of its metric, in its receipt and in the files.
 */
import { has, type Unit, wordOf } from "../../../core/plugin/units.ts"
import { type FormattedValue, formatValue, inBinary, longest, roughDollars, roughNumber } from "./format.ts"
import type { Html } from "./markup.ts"
import { valueMarkup } from "./values.ts"

/** Prices of an hour are in cents, and a frequency says something in its fourth digit. */
const isFine = (unit: Unit): boolean => has(unit, "unscaled") || unit === "usd_per_hour" || unit === "hz"

const roughParts = (value: number, unit: Unit): FormattedValue => {
  const size = Math.abs(value)
  const of = (number: string, word = wordOf(unit)): FormattedValue => ({ before: "", number, unit: word })
  if (isFine(unit) || value === 0) return formatValue(value, unit)
  if (unit === "usd") return size < 1000 ? formatValue(value, unit) : of(roughDollars(value))
  if (unit === "bytes") {
    const [scaled, word] = inBinary(value)
    return of(roughNumber(scaled), word)
  }
  if (has(unit, "whole") && Number.isInteger(value) && size < longest) return formatValue(value, unit)
  return unit === "tokens" || size < 1000 || size >= longest
    ? of(roughNumber(value))
    : formatValue(Math.round(value), unit)
}

const inOneLine = ({ before, number, unit }: FormattedValue): string =>
  `${before}${number}${unit === "" ? "" : ` ${unit}`}`

/** As text with its unit, where no title can have the exact number. */
export const roughText = (value: number, unit: Unit): string => inOneLine(roughParts(value, unit))

/** `298 to 304`, `2.01 to 2.06 EiB`; one value where it never moved. More digits where three would not tell them apart. */
export const roughRange = (low: number, high: number, unit: Unit): string => {
  if (low === high) return roughText(low, unit)
  const rough = [roughParts(low, unit), roughParts(high, unit)] as const
  const isTold = inOneLine(rough[0]) !== inOneLine(rough[1])
  const [from, to] = isTold ? rough : ([formatValue(low, unit), formatValue(high, unit)] as const)
  return `${inOneLine(from.unit === to.unit ? { ...from, unit: "" } : from)} to ${inOneLine(to)}`
}

export const roughly = (row: {
  readonly value: number
  readonly value_text?: string | undefined
  readonly unit: Unit
}): Html => valueMarkup(row, roughParts(row.value, row.unit))
