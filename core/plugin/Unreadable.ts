/** What stands in for a value that came and cannot be read: the reason, which the refusal of the run says. */
import { Decimal } from "./Decimal.ts"

/**
 * A value that cannot be read, and why. It has no order and is no number: an operator that takes it for one does not
 * compile, and throws where nothing checks it, so that no comparison makes a measured value of it.
 */
export class Unreadable {
  readonly _tag = "Unreadable"
  /** One line of at most 200 characters: what came, and what was expected. */
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason.slice(0, 200)
  }

  [Symbol.toPrimitive](hint: string): string {
    if (hint === "string") return this.reason
    throw new TypeError(`a value that cannot be read was used as a number: ${this.reason}`)
  }
}

/** A number, exact where a double would round it, or why it cannot be read. */
export type Numeric = number | Decimal | Unreadable

/** A time in epoch milliseconds, or why it cannot be read. */
export type Moment = number | Unreadable

/** A value that came in another form than expected: `got "12,345", a number expected`, `got -5, at least 0 expected`. */
export const unexpected = (value: unknown, expected: string): Unreadable =>
  value instanceof Unreadable ? value : new Unreadable(`got ${excerpt(value)}, ${expected} expected`)

/** Characters of a text that are shown: all of an ISO 8601 time, and too few of a token to be one. */
const longest = 24

/** A value in a few characters. Of lists and objects only that they are some: anything may be in them. */
const excerpt = (value: unknown): string => {
  if (typeof value === "string") {
    return JSON.stringify(value.length > longest ? `${value.slice(0, longest)}…` : value)
  }
  if (value instanceof Decimal) return value.text.slice(0, longest)
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" && value !== null ? "an object" : String(value).slice(0, longest)
}

/** The first of these values that cannot be read. */
export const unreadableIn = (values: Iterable<unknown>): Unreadable | undefined => {
  for (const value of values) if (value instanceof Unreadable) return value
  return undefined
}
