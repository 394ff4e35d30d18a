/** Fields of a payload that the upstream may leave out or send as null: not measured, and no failure. */
import { Effect, Result, Schema, SchemaGetter } from "effect"
import { Decimal } from "../Decimal.ts"
import { decimalOf, doubleOf, type Exact, fromBaseUnits, isNumber, numberIn } from "../decimals.ts"
import { type Moment, type Numeric, Unreadable, unexpected, unreadableIn } from "../Unreadable.ts"
import { type Answer, decode, implausible, maybe, TimeText } from "../Upstream.ts"
import { parseTime } from "../Value.ts"

const NumericValue = Schema.Union([Schema.Number, Schema.instanceOf(Decimal), Schema.instanceOf(Unreadable)])

/**
 * A number of an answer, which some upstreams write as decimal text: a `Decimal` where a double would round it. What is no number, or an impossible one, decodes to
 * `Unreadable`: `observe` refuses it by the metric's name with the reason, sums carry it on, and the other fields of the
 * answer are still read.
 */
const numeric = (...bounds: ReadonlyArray<Bound>) =>
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.NullOr(NumericValue), {
      decode: SchemaGetter.transform((value) => numberOf(value, bounds)),
      encode: SchemaGetter.passthrough()
    })
  )

/** What a number has to be, beside a number. */
interface Bound {
  readonly expected: string
  readonly has: (value: number | Decimal) => boolean
}

const fromZero: Bound = { expected: "at least 0", has: (value) => doubleOf(value) >= 0 }
const integral: Bound = {
  expected: "a whole number",
  has: (value) => (value instanceof Decimal ? !value.text.includes(".") : Number.isInteger(value))
}

const numberOf = (input: unknown, bounds: ReadonlyArray<Bound>): Numeric | null => {
  if (input === null || input === undefined) return null
  if (input instanceof Unreadable) return input
  const value = numberIn(input)
  if (value === undefined) return unexpected(input, "a number")
  const broken = bounds.find(({ has }) => !has(value))
  return broken === undefined ? value : unexpected(input, broken.expected)
}

const whole = numeric(fromZero, integral)

/** An object that the upstream may omit or set to null. */
export const object = <F extends Schema.Struct.Fields>(fields: F) => maybe(Schema.Struct(fields))

/** A whole number from 0 up; anything else cannot be read. */
export const count = Schema.optional(whole)

/** Like `count`, for what is 0 only if the upstream is broken: a 0 fails the whole answer and names the field. */
export const positive = Schema.optional(
  whole.check(Schema.makeFilter((value) => value !== 0 || "Expected more than 0, got 0"))
)

/** A list that is empty only if the upstream is broken: an empty one fails the whole answer. */
export const nonEmpty = <S extends Schema.Constraint>(entry: S) =>
  Schema.Array(entry).check(
    Schema.makeFilter((list) => list.length > 0 || "Expected at least one entry, got none")
  )

/** A map that is empty only if the upstream is broken: an empty one fails the whole answer. */
export const nonEmptyMap = <S extends Schema.Constraint>(value: S) =>
  Schema.Record(Schema.String, value).check(
    Schema.makeFilter((map) => Object.keys(map).length > 0 || "Expected at least one entry, got none")
  )

/** A map of counts by name, each like `count`. */
export const counts = Schema.Record(Schema.String, whole)

/** A finite number; anything else cannot be read. */
export const number = Schema.optional(numeric())

/** A finite number from 0 up: for what is summed, where one negative part would hide among the others. */
export const quantity = Schema.optional(numeric(fromZero))

/** Like `number`, for a value taken out of an entry; undefined for null. */
export const figure = (value: unknown): Numeric | undefined => numberOf(value, []) ?? undefined

/** Like `quantity`, for a value taken out of an entry. */
export const size = (value: unknown): Numeric | undefined => numberOf(value, [fromZero]) ?? undefined

/** Like `count`, for a value taken out of an entry. */
export const tally = (value: unknown): Numeric | undefined =>
  numberOf(value, [fromZero, integral]) ?? undefined

/**
 * What stands at a path of an entry of a list in which one odd entry must not cost the others: nothing where a step is
 * missing or null, and `Unreadable` where a step is something else than an object.
 */
export const at = (entry: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (holder, key) =>
      holder === null || holder === undefined
        ? undefined
        : holder instanceof Unreadable
          ? holder
          : typeof holder === "object"
            ? (holder as Readonly<Record<string, unknown>>)[key]
            : unexpected(holder, `an object with ${key}`),
    entry
  )

/** Whether there is an object at all, whose missing members are members that it does not tell. */
export const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Unreadable)

/** A text at a path; undefined for anything else, an empty one included. */
export const textAt = (entry: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const value = at(entry, ...path)
  return typeof value === "string" && value !== "" ? value : undefined
}

/**
 * A number for which the nearest double will do, such as a coordinate: it is compared, and no figure is made of it. Anything
 * else fails the entry.
 */
export const double = Schema.Union([Schema.Finite, Schema.instanceOf(Decimal)]).pipe(
  Schema.decodeTo(Schema.Finite, {
    decode: SchemaGetter.transform(doubleOf),
    encode: SchemaGetter.passthrough()
  })
)

/** A text; decimal amounts in base units travel so. A number is its text, and what is neither is not told. */
export const text = Schema.optional(
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.NullOr(Schema.String), {
      decode: SchemaGetter.transform((value) =>
        typeof value === "string" ? value : isNumber(value) ? String(value) : null
      ),
      encode: SchemaGetter.passthrough()
    })
  )
)

/** A time as ISO 8601 text. */
export const timeText = maybe(TimeText)

/**
 * A time in epoch milliseconds: of ISO 8601 text, or of a number of seconds or milliseconds since 1970. What is none cannot
 * be read, and dates no row: dated by the answer instead, figures of any age would look new.
 */
export const moment = Schema.optional(
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.NullOr(Schema.Union([Schema.Number, Schema.instanceOf(Unreadable)])), {
      decode: SchemaGetter.transform((value) => momentOf(value) ?? null),
      encode: SchemaGetter.passthrough()
    })
  )
)

/** Like `moment`, for a value taken out of an entry; undefined for null. */
export const momentOf = (input: unknown): Moment | undefined => {
  const time = typeof input === "string" ? parseTime(input) : undefined
  if (time !== undefined) return time
  const number = numberOf(input, [])
  if (number === null) return undefined
  if (number instanceof Unreadable) return unexpected(input, "a time")
  const value = doubleOf(number)
  if (value < 0) return unexpected(input, "a time")
  // As seconds the bound is in the year 33658, as milliseconds in 2001.
  return value < 1e12 ? value * 1000 : value
}

const exactAmount = Schema.Unknown.pipe(
  Schema.decodeTo(
    Schema.NullOr(Schema.Union([Schema.Number, Schema.String, Schema.instanceOf(Unreadable)])),
    {
      decode: SchemaGetter.transform((value) => exact(value)),
      encode: SchemaGetter.passthrough()
    }
  )
)

/** An amount, exact where it is text: base units that a double cannot hold. What is neither text nor number cannot be read. */
export const amount = Schema.optional(exactAmount)

/** Like `amount`, for what is 0 only if the upstream is broken: a 0 fails the whole answer and names the field. */
export const positiveAmount = Schema.optional(
  exactAmount.check(
    Schema.makeFilter(
      (value) =>
        value === null || typeof value === "object" || Number(value) !== 0 || "Expected more than 0, got 0"
    )
  )
)

/** Like `amount`, for a value taken out of an entry. */
export const exact = (value: unknown): Moment | string | null => {
  if (value === null || value === undefined) return null
  if (typeof value === "string" || value instanceof Unreadable) return value
  const number = numberIn(value)
  return number instanceof Decimal ? number.text : (number ?? unexpected(value, "a number"))
}

/**
 * The entries of a long list that are understood: a receiver passes on what it hears, and one garbled report among
 * hundreds is no vessel and no aircraft. More than one in a hundred is another shape.
 */
export const readable = Effect.fnUntraced(function* <S extends Schema.ConstraintDecoder<unknown>>(
  answer: Answer<unknown>,
  entries: ReadonlyArray<unknown>,
  schema: S
) {
  const decoded = yield* Effect.forEach(entries, (entry) => Effect.result(decode(answer.url, schema, entry)))
  const failures = decoded.filter(Result.isFailure)
  const [first] = failures
  if (first !== undefined && failures.length * 100 > entries.length) {
    const { detail, path } = first.failure
    return yield* implausible(
      answer,
      `${failures.length} of ${entries.length} entries, first ${path}`,
      detail
    )
  }
  return decoded.filter(Result.isSuccess).map(({ success }) => success)
})

/**
 * The entries of a list, each identity once, the first of them: an upstream that repeats an entry, or whose pages move
 * while they are read, lists one thing twice.
 */
export const distinct = <A>(
  entries: ReadonlyArray<A>,
  identity: (entry: A) => string | number | bigint
): ReadonlyArray<A> => {
  const first = new Map<string | number | bigint, A>()
  for (const entry of entries) {
    const id = identity(entry)
    if (!first.has(id)) first.set(id, entry)
  }
  return [...first.values()]
}

/**
 * The entry with the latest time, which `timeOf` gives as ISO 8601 text, and that time in epoch milliseconds; undefined
 * where no entry has one. Lists that are sorted today are turned around tomorrow.
 */
export const newest = <A>(
  entries: ReadonlyArray<A>,
  timeOf: (entry: A) => string
): { readonly entry: A; readonly at: number } | undefined =>
  entries
    .flatMap((entry) => {
      const at = parseTime(timeOf(entry))
      return at === undefined ? [] : [{ entry, at }]
    })
    .reduce<{ readonly entry: A; readonly at: number } | undefined>(
      (best, one) => (best === undefined || one.at > best.at ? one : best),
      undefined
    )

/** A value that may be missing, or unreadable. */
type Part = Numeric | null | undefined

/** What comes of parts: unreadable only where the type of one of them says that it may be. */
type Of<T, Result> = Result | Extract<T, Unreadable> | undefined

/** What comes of parts with all digits: a `Decimal` only where the type of one of them says that it may be. */
type ExactOf<T> = Of<T, number> | Extract<T, Decimal>

/**
 * What `of` makes of these parts if every one was measured: one that cannot be read is the result, and where one is missing,
 * or there is none, nothing was measured. It calculates with the nearest doubles, as for a share or a mean; for sums, the
 * largest and differences there are functions that keep all digits.
 */
export const combine = <const T extends ReadonlyArray<Part>, Result>(
  parts: T,
  of: (numbers: { readonly [K in keyof T]: number }) => Result
): Of<T[number], Result> => {
  const unreadable = unreadableIn(parts)
  if (unreadable !== undefined) return unreadable as Extract<T[number], Unreadable>
  return isMeasured(parts) ? of(parts.map(doubleOf) as { readonly [K in keyof T]: number }) : undefined
}

const isMeasured = (parts: ReadonlyArray<unknown>): parts is ReadonlyArray<number | Decimal> =>
  parts.length > 0 && parts.every(isNumber)

/** A result of doubles where it and the parts are exact as such, and else the exact one, as `exactly` calculates it. */
const withDigits = <T extends Part>(
  parts: ReadonlyArray<T>,
  ofDoubles: (numbers: ReadonlyArray<number>) => number,
  ofUnits: (units: ReadonlyArray<bigint>) => bigint
): ExactOf<T> => {
  const result = combine(parts, ofDoubles)
  const isRounded =
    typeof result === "number" &&
    (parts.some((part) => part instanceof Decimal) ||
      (Number.isInteger(result) && !Number.isSafeInteger(result)))
  return isRounded ? (numberIn(exactly(parts, ofUnits)) as ExactOf<T>) : result
}

/** The sum if every part was measured; undefined for an empty list. */
export const sum = <T extends Part>(parts: ReadonlyArray<T>): ExactOf<T> =>
  withDigits(
    parts,
    (numbers) => numbers.reduce((total, part) => total + part, 0),
    (units) => units.reduce((total, part) => total + part, 0n)
  )

/** The largest value if every part was measured, since a missing one might be larger; undefined for an empty list. */
export const largest = <T extends Part>(parts: ReadonlyArray<T>): ExactOf<T> =>
  withDigits(
    parts,
    (numbers) => numbers.reduce((most, part) => Math.max(most, part)),
    (units) => units.toSorted((a, b) => (a < b ? -1 : 1)).at(-1) ?? 0n
  )

/** `a` without its part `b`, if both were measured; unreadable where the part exceeds the whole. */
export const difference = (a: Part, b: Part): Numeric | undefined => {
  const rest = withDigits(
    [a, b],
    ([a = 0, b = 0]) => a - b,
    ([a = 0n, b = 0n]) => a - b
  )
  return rest === undefined || rest instanceof Unreadable || doubleOf(rest) >= 0
    ? rest
    : new Unreadable(`the part ${b} is more than the whole ${a}`)
}

/** An amount as exact text or as a number, which may be missing, or unreadable. */
type Amount = Exact | Unreadable | null | undefined

const isNegative = (amount: Amount): boolean => {
  const text = decimalOf(amount)
  return typeof text === "string" && text.startsWith("-")
}

/** The exact sum of amounts from 0 up, if every one was measured; undefined for an empty list. */
export const exactSum = (amounts: ReadonlyArray<Amount>): string | Unreadable | undefined => {
  const negative = amounts.find(isNegative)
  return negative === undefined
    ? exactly(amounts, (units) => units.reduce((total, part) => total + part, 0n))
    : unexpected(negative, fromZero.expected)
}

/** The exact difference `a - b` of decimal texts, if both were measured. */
export const exactDifference = (a: Amount, b: Amount): string | Unreadable | undefined =>
  exactly([a, b], ([from = 0n, less = 0n]) => from - less)

/** What comes of amounts, each as a whole number of the smallest unit among them. */
const exactly = (
  amounts: ReadonlyArray<Amount>,
  of: (units: ReadonlyArray<bigint>) => bigint
): string | Unreadable | undefined => {
  const decimals = amounts.map(decimalOf)
  const unreadable = unreadableIn(decimals)
  if (unreadable !== undefined) return unreadable
  const texts = decimals.filter((text) => typeof text === "string")
  if (texts.length === 0 || texts.length < amounts.length) return undefined
  const places = texts.reduce((most, text) => Math.max(most, text.split(".")[1]?.length ?? 0), 0)
  const units = texts.map((text) => {
    const [whole = "0", fraction = ""] = text.split(".")
    return BigInt(whole + fraction.padEnd(places, "0"))
  })
  return fromBaseUnits(of(units), places)
}

/**
 * How many of these words are `counted`. Undefined when one of them is missing or no word of `vocabulary`, for nobody knows
 * what it stands for, and when there is none.
 */
export const countOf = (
  words: ReadonlyArray<string | null | undefined>,
  counted: string,
  vocabulary: ReadonlyArray<string>
): number | undefined =>
  words.length > 0 && words.every((word) => typeof word === "string" && vocabulary.includes(word))
    ? words.filter((word) => word === counted).length
    : undefined
