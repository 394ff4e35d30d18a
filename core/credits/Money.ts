/**
 * Exact money: integer micro-dollars, `bigint` in code and `int8` in SQL. Amounts are floats only while JSON is read or
 * written, and both conversions are exact up to `largest`.
 */

/** Millionths of a US dollar; 1 credit is 1 USD. */
export type Micros = bigint

const perUsd = 1_000_000n

/** One billion USD. Up to here a double holds every amount exactly, so JSON numbers are exact. */
export const largest: Micros = 1_000_000_000n * perUsd

/** Micro-dollars of a plain decimal with at most 6 places; undefined for anything else (signs, exponents, spaces). */
export const parse = (text: string): Micros | undefined => {
  const match = /^(0|[1-9]\d{0,9})(?:\.(\d{1,6}))?$/.exec(text)
  if (match === null) return undefined
  const micros = BigInt(match[1] ?? "0") * perUsd + BigInt((match[2] ?? "").padEnd(6, "0"))
  return micros > largest ? undefined : micros
}

/** `parse` for a JSON number or string from a client. */
export const parseUnknown = (value: unknown): Micros | undefined =>
  typeof value === "number" ? parse(String(value)) : typeof value === "string" ? parse(value) : undefined

/** An amount written in our own code, such as a price. An invalid one is a defect. */
export const usd = (text: string): Micros => {
  const micros = parse(text)
  if (micros === undefined) throw new Error(`"${text}" is not an amount in USD`)
  return micros
}

/** The amount in USD as a JSON number: the nearest double, which prints as the same decimal. */
export const toNumber = (micros: Micros): number => Number(micros) / 1_000_000

/** The amount with at least two decimals: `4.99`, `0.000001`, `-20.00`. */
export const format = (micros: Micros): string => {
  const size = micros < 0n ? -micros : micros
  const places = (size % perUsd)
    .toString()
    .padStart(6, "0")
    .replace(/0{1,4}$/, "")
  return `${micros < 0n ? "-" : ""}${size / perUsd}.${places}`
}
