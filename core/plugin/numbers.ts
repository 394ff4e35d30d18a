/** JSON texts whose numbers are exact from the first byte on: what a double would round becomes a `Decimal`. */
import { decimalText, numberIn } from "./decimals.ts"
import { endOf } from "./names.ts"
import { type Numeric, Unreadable } from "./Unreadable.ts"

/** Characters that a number of JSON may have; what is none of them ends it. */
const isOfNumber = (code: number): boolean =>
  (code >= 48 && code <= 57) || code === 45 || code === 43 || code === 46 || code === 69 || code === 101

/** Any decimal of so many digits is the one that the nearest double is written as. */
const safeLength = 15

/** Whether `JSON.parse` gives the number of a literal as it is. -0 is no other number than 0. */
const isExact = (literal: string): boolean => {
  const number = Number(literal)
  if (Object.is(number, -0)) return false
  return (
    String(number) === literal || (Number.isFinite(number) && decimalText(number) === decimalText(literal))
  )
}

/** Whether a JSON text has, outside its texts, a number that `JSON.parse` would round. */
const hasInexact = (source: string): boolean => {
  for (let at = 0; at < source.length; ) {
    const code = source.charCodeAt(at)
    if (code === 34) {
      at = endOf(source, at) + 1
      continue
    }
    if (code !== 45 && !(code >= 48 && code <= 57)) {
      at++
      continue
    }
    let end = at + 1
    let hasExponent = false
    for (let next = source.charCodeAt(end); isOfNumber(next); next = source.charCodeAt(++end)) {
      hasExponent ||= (next | 32) === 101
    }
    const isZero = code === 45 && source.charCodeAt(at + 1) === 48
    if ((isZero || hasExponent || end - at > safeLength) && !isExact(source.slice(at, end))) return true
    at = end
  }
  return false
}

const exactly = (literal: string, rounded: number): Numeric =>
  isExact(literal)
    ? rounded
    : (numberIn(literal) ??
      new Unreadable(`got ${literal.slice(0, 24)}, a number expected that a double can hold`))

/**
 * What `JSON.parse` gives and throws, but a number that a double would round is a `Decimal`, one that is too large or too
 * small for any double is `Unreadable`, and -0 is 0. A text without such a number is parsed once, plainly: a reviver takes
 * ten times as long.
 */
export const parseExactly = (source: string): unknown =>
  hasInexact(source)
    ? JSON.parse(source, revive as (key: string, value: unknown) => unknown)
    : JSON.parse(source)

const revive = (_: string, value: unknown, { source = "" }: { readonly source?: string }): unknown =>
  typeof value === "number" ? exactly(source, value) : value
