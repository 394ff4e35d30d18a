/** Parses documents with an exact set of members. */
import { Malformed, Newer } from "./bytes.ts"
import { isRecord } from "./canonical.ts"

export interface Member<A> {
  readonly is: (value: unknown) => value is A
  /** What is valid, for error messages. */
  readonly says: string
  readonly optional: boolean
  /** All that it may be, of a member that is one of a few texts. */
  readonly values?: ReadonlyArray<string>
}

export type Shape<A> = { readonly [K in keyof A]-?: Member<Exclude<A[K], undefined>> }

const tagForm = /^([a-z-]+)-v([1-9]\d{0,5})(?:-demo)?$/

/** Throws `Newer` if `tag` is one of `tags` in a higher version: its members are then not for this code to judge. */
export const refuseNewer = (what: string, tag: unknown, tags: ReadonlyArray<string>): void => {
  const [, name, version] = typeof tag === "string" ? (tagForm.exec(tag) ?? []) : []
  if (name === undefined || tags.some((one) => one === tag)) return
  const versions = tags.flatMap((one) => {
    const [, nameRead, versionRead] = tagForm.exec(one) ?? []
    return nameRead === name ? [Number(versionRead)] : []
  })
  if (versions.length > 0 && Number(version) > Math.max(...versions))
    throw new Newer(`${what} is ${tag}, made by a newer release; this one reads ${tags.join(" and ")}`)
}

/**
 * Checks that a document has exactly the members of `shape`. Throws `Malformed` naming the wrong member, and `Newer` for a version of
 * the document that is higher than that of the shape.
 */
export const readShape = <A>(what: string, value: unknown, shape: Shape<A>): A => {
  if (!isRecord(value)) throw new Malformed(`${what} must be an object`)
  if ("v" in shape) refuseNewer(what, value.v, tagsOf(shape.v))
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(shape, key))
  if (unknown !== undefined) throw new Malformed(`${what}: unknown member \`${unknown}\``)
  if (fits(what, value, shape)) return value
  throw new Malformed(`${what} does not have the expected shape`)
}

const tagsOf = (member: unknown): ReadonlyArray<string> =>
  isRecord(member) && Array.isArray(member.values) ? member.values : []

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
export const textOrNull = member(
  (value): value is string | null => value === null || typeof value === "string",
  "a string, or null"
)
export const nonEmpty = member(
  (value): value is string => typeof value === "string" && value.length > 0,
  "a non-empty string"
)
/** A network of payments by its CAIP-2 name. Letter case is part of it. */
export const network = matching(/^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/, "a CAIP-2 network")
/** An amount in the smallest units of a token. */
export const amount = matching(/^[1-9]\d{0,77}$/, "a whole number above 0 in decimal digits")
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
export const trueOrAbsent = member((value): value is true => value === true, "true or absent")
export const hash = matching(/^[0-9a-f]{64}$/, "64 lower-case hex digits")
export const hashes = member(
  (value): value is ReadonlyArray<string> =>
    Array.isArray(value) && value.length <= 64 && value.every((one) => hash.is(one)),
  "a list of at most 64 hashes in lower-case hex"
)
const dayForm = /^\d{4}-(0[1-9]|1[0-2])-\d{2}$/
const hourForm = /^\d{4}-(0[1-9]|1[0-2])-\d{2}T([01]\d|2[0-3])$/
const timeForm = /^\d{4}-(0[1-9]|1[0-2])-\d{2}T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d{3})?Z$/

/** Whether the month has that day. The calendar repeats itself every 400 years, and `Date.UTC` takes 99 for 1999. */
const isReal = (text: string): boolean => {
  const day = Number(text.slice(8, 10))
  const at = Date.UTC(400 + Number(text.slice(0, 4)), Number(text.slice(5, 7)) - 1, day)
  return new Date(at).getUTCDate() === day
}

export const day = member(
  (value): value is string => typeof value === "string" && dayForm.test(value) && isReal(value),
  "a day YYYY-MM-DD"
)
/** An hour of UTC, as it names a document and its path. */
export const hour = member(
  (value): value is string => typeof value === "string" && hourForm.test(value) && isReal(value),
  "an hour of UTC YYYY-MM-DDTHH"
)
export const time = member(
  (value): value is string => typeof value === "string" && timeForm.test(value) && isReal(value),
  "an ISO 8601 time in UTC, in whole seconds or milliseconds"
)
export const timeOrNull = member(
  (value): value is string | null => value === null || time.is(value),
  "an ISO 8601 time in UTC, or null"
)
export const oneOf = <A extends string>(...values: ReadonlyArray<A>): Member<A> => ({
  ...member(
    (value): value is A => values.some((one) => one === value),
    values.length === 1 ? `${values[0]}` : `one of ${values.join(", ")}`
  ),
  values
})
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
