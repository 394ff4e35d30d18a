/** Exact numbers as plain decimal texts: what a double may not hold. */
import { BigDecimal, Option } from "effect"
import { Decimal } from "./Decimal.ts"
import { Unreadable, unexpected } from "./Unreadable.ts"

const decimalForm = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?$/

/** A number in one of the forms that keep its digits. */
export type Exact = number | bigint | string | Decimal

/** The normalised plain decimal text of a number, a big integer or a decimal string; undefined for anything else. */
export const decimalText = (value: Exact): string | undefined => {
  if (value instanceof Decimal) return value.text
  if (typeof value === "bigint") return value.toString()
  if (typeof value === "number" && !Number.isFinite(value)) return undefined
  const text = String(value).trim()
  // A number's own text is normalised, unless it has an exponent.
  if (typeof value === "number" && !text.includes("e")) return text
  if (text.length > 200 || !decimalForm.test(text)) return undefined
  const parsed = BigDecimal.fromString(text.startsWith("+") ? text.slice(1) : text)
  return Option.isSome(parsed) ? plain(BigDecimal.normalize(parsed.value)) : undefined
}

/** Like `decimalText`, of a value that may be missing: what is not a number cannot be read. */
export const decimalOf = (value: Exact | Unreadable | null | undefined): string | Unreadable | undefined =>
  value === null || value === undefined || value instanceof Unreadable
    ? (value ?? undefined)
    : (decimalText(value) ?? unexpected(value, "a number"))

/** Whether a plain decimal text is that of the nearest double. */
export const isDouble = (text: string): boolean => decimalText(Number(text)) === text

/**
 * The number that a value is, without a digit lost: a `Decimal` where a double would round it, and for an integer from 2^53 on,
 * which a calculation with doubles would. Undefined for what is no number, and for one that is too large or too small.
 */
export const numberIn = (value: unknown): number | Decimal | undefined => {
  if (value instanceof Decimal) return value
  if (typeof value !== "number" && typeof value !== "string") return undefined
  if (typeof value === "number" && (Number.isSafeInteger(value) || !Number.isInteger(value))) {
    return Number.isFinite(value) ? value + 0 : undefined
  }
  const text = decimalText(value)
  if (text === undefined) return undefined
  const number = Number(text)
  if (!Number.isFinite(number) || (number === 0 && text !== "0")) return undefined
  const isSafe = Number.isSafeInteger(number) || !Number.isInteger(number)
  return isSafe && isDouble(text) ? number : new Decimal(text)
}

/**
 * Whether a value is a number that was read: a double, or one that a double would round. `typeof` knows the doubles alone, and a
 * check that asks it is void where the upstream writes more digits.
 */
export const isNumber = (value: unknown): value is number | Decimal =>
  typeof value === "number" || value instanceof Decimal

/** The nearest double of a number. */
export const doubleOf = (value: number | Decimal): number =>
  value instanceof Decimal ? Number(value.text) : value

/**
 * The order of two numbers by all of their digits: below 0 where the first is less, 0 where they are the same number, above 0 where
 * it is more. Two decimals are never compared otherwise: `===` asks whether they are one object.
 */
export const compareNumbers = (a: number | Decimal, b: number | Decimal): number => {
  const byDoubles = doubleOf(a) - doubleOf(b)
  // Rounding keeps the order, so that only numbers with one nearest double need their digits.
  if (byDoubles !== 0 || (typeof a === "number" && typeof b === "number")) return byDoubles
  const [first, second] = [a, b].map((number) => BigDecimal.fromStringUnsafe(decimalText(number) ?? ""))
  return first === undefined || second === undefined ? byDoubles : BigDecimal.Order(first, second)
}

/** Whether both are numbers, and the same one. What is missing or cannot be read is the same as nothing. */
export const isSame = (a: unknown, b: unknown): boolean =>
  isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0

const plain = (number: BigDecimal.BigDecimal): string => {
  if (number.scale <= 0) return (number.value * 10n ** BigInt(-number.scale)).toString()
  const negative = number.value < 0n
  const digits = (negative ? -number.value : number.value).toString().padStart(number.scale + 1, "0")
  return `${negative ? "-" : ""}${digits.slice(0, -number.scale)}.${digits.slice(-number.scale)}`
}

/**
 * Moves the decimal point of an amount in base units (`"490000"`, 6 gives `"0.49"`) without rounding.
 * A missing amount stays missing, and one that is not a number cannot be read.
 */
export const fromBaseUnits = (
  amount: Exact | Unreadable | null | undefined,
  decimals: number
): string | Unreadable | undefined => {
  const text = decimalOf(amount)
  if (text === undefined || text instanceof Unreadable) return text
  const [whole = "0", fraction = ""] = text.split(".")
  return plain(BigDecimal.normalize(BigDecimal.make(BigInt(whole + fraction), fraction.length + decimals)))
}
