/** Parses documents with an exact set of members. */
import { Malformed } from "./bytes.ts"
import { isRecord } from "./canonical.ts"

export interface Member<A> {
  readonly is: (value: unknown) => value is A
  /** What is valid, for error messages. */
  readonly says: string
  readonly optional: boolean
}

export type Shape<A> = { readonly [K in keyof A]-?: Member<Exclude<A[K], undefined>> }

/** Checks that a document has exactly the members of `shape`. Throws `Malformed` naming the wrong member. */
export const readShape = <A>(what: string, value: unknown, shape: Shape<A>): A => {
  if (!isRecord(value)) throw new Malformed(`${what} must be an object`)
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(shape, key))
  if (unknown !== undefined) throw new Malformed(`${what}: unknown member \`${unknown}\``)
  if (fits(what, value, shape)) return value
  throw new Malformed(`${what} does not have the expected shape`)
}

const fits = <A>(
  what: string,
  value: Readonly<Record<string, unknown>>,
  shape: Shape<A>
): value is A & typeof value => {
  for (const key in shape) {
    const member: Member<unknown> = shape[key]
    if (!Object.hasOwn(value, key)) {
      if (!member.optional) throw new Malformed(`${what}: \`${key}\` is missing`)
    } else if (!member.is(value[key])) {
      throw new Malformed(`${what}: \`${key}\` must be ${member.says}`)
    }
  }
  return true
}

const member = <A>(is: (value: unknown) => value is A, says: string): Member<A> => ({
  is,
  says,
  optional: false
})

export const optional = <A>(inner: Member<A>): Member<A> => ({ ...inner, optional: true })

const matching = (form: RegExp, says: string): Member<string> =>
  member((value): value is string => typeof value === "string" && form.test(value), says)

export const text = member((value): value is string => typeof value === "string", "a string")
export const words = member(
  (value): value is string => typeof value === "string" && value.length > 0,
  "a non-empty string"
)
/** A name or an address: it identifies something, so nothing in it may be invisible. */
export const name = matching(/^\P{Cc}+$/u, "a non-empty string without control characters")
export const number = member(
  (value): value is number => typeof value === "number" && Number.isFinite(value),
  "a number"
)
export const count = member(
  (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0,
  "an integer, 0 or more"
)
export const ordinal = member(
  (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 1,
  "an integer, 1 or more"
)
export const flag = member((value): value is boolean => typeof value === "boolean", "true or false")
export const yes = member((value): value is true => value === true, "true or absent")
export const hash = matching(/^[0-9a-f]{64}$/, "64 lower-case hex digits")
export const hashes = member(
  (value): value is ReadonlyArray<string> =>
    Array.isArray(value) && value.length <= 64 && value.every((one) => hash.is(one)),
  "a list of at most 64 hashes in lower-case hex"
)
const dayForm = /^\d{4}-\d{2}-\d{2}$/
const timeForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

/** The number of two digits. */
const two = (text: string, at: number): number =>
  (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48

/** Whether a text of `dayForm` or `timeForm` is in the calendar (ISO 8601, proleptic Gregorian) and on the clock. */
const isReal = (text: string): boolean => {
  const year = two(text, 0) * 100 + two(text, 2)
  const month = two(text, 5)
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeap ? 29 : daysOfMonth[month - 1]
  const day = two(text, 8)
  if (days === undefined || day < 1 || day > days) return false
  return text.length === 10 || (two(text, 11) < 24 && two(text, 14) < 60 && two(text, 17) < 60)
}

export const day = member(
  (value): value is string => typeof value === "string" && dayForm.test(value) && isReal(value),
  "a day YYYY-MM-DD"
)
export const time = member(
  (value): value is string => typeof value === "string" && timeForm.test(value) && isReal(value),
  "an ISO 8601 time in UTC, in whole seconds or milliseconds"
)
export const timeOrNull = member(
  (value): value is string | null => value === null || time.is(value),
  "an ISO 8601 time in UTC, or null"
)
export const oneOf = <A extends string>(...values: ReadonlyArray<A>): Member<A> =>
  member(
    (value): value is A => values.some((one) => one === value),
    values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`
  )
/** A list whose members all are `inner`. */
export const listOf = <A>(inner: Member<A>): Member<ReadonlyArray<A>> =>
  member(
    (value): value is ReadonlyArray<A> => Array.isArray(value) && value.every((one) => inner.is(one)),
    `a list, each member ${inner.says}`
  )

/** A document inside another. Throws its own error, which names the wrong member. */
export const nested = <A>(what: string, shape: Shape<A>): Member<A> =>
  member((value): value is A => {
    readShape(what, value, shape)
    return true
  }, what)

/** Any value; the caller parses it further. */
export const anything: Member<unknown> = member((_value): _value is unknown => true, "anything")
