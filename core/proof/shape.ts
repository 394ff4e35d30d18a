/** Reads documents of a fixed shape: each member by its test, none left over. */
import { Malformed } from "./bytes.ts"
import { isRecord } from "./canonical.ts"

export interface Member<A> {
  readonly is: (value: unknown) => value is A
  /** What is valid, for the message. */
  readonly says: string
  readonly optional: boolean
}

export type Shape<A> = { readonly [K in keyof A]-?: Member<Exclude<A[K], undefined>> }

/** The document as its type, when it has exactly the members of `shape`. Throws `Malformed` naming the member. */
export const readShape = <A>(what: string, value: unknown, shape: Shape<A>): A => {
  if (!isRecord(value)) throw new Malformed(`${what} must be an object`)
  const unknown = Object.keys(value).find((key) => !Object.hasOwn(shape, key))
  if (unknown !== undefined) throw new Malformed(`${what} has an unknown member \`${unknown}\``)
  if (fits(what, value, shape)) return value
  throw new Malformed(`${what} has not its shape`)
}

const fits = <A>(
  what: string,
  value: Readonly<Record<string, unknown>>,
  shape: Shape<A>
): value is A & typeof value => {
  for (const [key, member] of Object.entries<Member<unknown>>(shape)) {
    if (!Object.hasOwn(value, key)) {
      if (!member.optional) throw new Malformed(`${what} has no \`${key}\``)
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

export const text = member((value): value is string => typeof value === "string", "a text")
export const name = member(
  (value): value is string => typeof value === "string" && value.length > 0,
  "a text that is not empty"
)
export const number = member(
  (value): value is number => typeof value === "number" && Number.isFinite(value),
  "a number"
)
export const count = member(
  (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 0,
  "a whole number, 0 or more"
)
export const ordinal = member(
  (value): value is number => typeof value === "number" && Number.isSafeInteger(value) && value >= 1,
  "a whole number, 1 or more"
)
export const flag = member((value): value is boolean => typeof value === "boolean", "true or false")
export const yes = member((value): value is true => value === true, "true, or left out")
export const hash = matching(/^[0-9a-f]{64}$/, "64 digits of lower-case hex")
export const hashes = member(
  (value): value is ReadonlyArray<string> =>
    Array.isArray(value) && value.length <= 64 && value.every((one) => hash.is(one)),
  "a list of at most 64 hashes in lower-case hex"
)
export const day = matching(/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, "a day YYYY-MM-DD")
export const days = member(
  (value): value is ReadonlyArray<string> => Array.isArray(value) && value.every((one) => day.is(one)),
  "a list of days YYYY-MM-DD"
)
export const time = matching(
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?Z$/,
  "ISO 8601 in UTC, whole seconds or milliseconds"
)
export const oneOf = <A extends string>(...values: ReadonlyArray<A>): Member<A> =>
  member((value): value is A => values.some((one) => one === value), values.join(", "))
/** Anything; read further by someone else. */
export const anything: Member<unknown> = member((_value): _value is unknown => true, "anything")
