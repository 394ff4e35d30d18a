/** Fields of a payload that the upstream may leave out or send as null: not measured, and no failure. */
import { Effect, Result, Schema, SchemaGetter } from "effect"
import { type Answer, decode, implausible, maybe, TimeText } from "../Upstream.ts"
import { decimalText, fromBaseUnits, parseTime } from "../Value.ts"

/**
 * A number of an answer, which some upstreams write as decimal text. What is no number, or an impossible one, decodes to
 * NaN: `observe` refuses it by the metric's name, sums carry it on, and the other fields of the answer are still read.
 */
const numeric = (isPossible: (value: number) => boolean) =>
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.NullOr(Schema.Number), {
      decode: SchemaGetter.transform((given) => numberOf(given, isPossible)),
      encode: SchemaGetter.passthrough()
    })
  )

const numberOf = (given: unknown, isPossible: (value: number) => boolean): number | null => {
  if (given === null || given === undefined) return null
  const value = typeof given === "number" ? given : Number(plainNumber(given) ?? Number.NaN)
  return Number.isFinite(value) && isPossible(value) ? value : Number.NaN
}

const plainNumber = (given: unknown) => (typeof given === "string" ? decimalText(given) : undefined)

const isSize = (value: number) => value >= 0
const isCount = (value: number) => Number.isInteger(value) && value >= 0
const whole = numeric(isCount)

/** An object that the upstream may omit or set to null. */
export const object = <F extends Schema.Struct.Fields>(fields: F) => maybe(Schema.Struct(fields))

/** A whole number from 0 up; anything else is NaN. */
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

/** A finite number; anything else is NaN. */
export const number = Schema.optional(numeric(() => true))

/** A finite number from 0 up, else NaN: for what is summed, where one negative part would hide among the others. */
export const quantity = Schema.optional(numeric(isSize))

/** Like `number`, for a value taken out of an entry: undefined for null, NaN for anything else that is not a number. */
export const figure = (value: unknown): number | undefined => numberOf(value, () => true) ?? undefined

/** Like `quantity`, for a value taken out of an entry. */
export const size = (value: unknown): number | undefined => numberOf(value, isSize) ?? undefined

/** Like `count`, for a value taken out of an entry. */
export const tally = (value: unknown): number | undefined => numberOf(value, isCount) ?? undefined

/**
 * What stands at a path of an entry of a list in which one odd entry must not cost the others: nothing where a step is
 * missing or null, and NaN, which the readers of numbers refuse, where a step is something else than an object.
 */
export const at = (entry: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (holder, key) =>
      holder === null || holder === undefined
        ? undefined
        : typeof holder === "object"
          ? (holder as Readonly<Record<string, unknown>>)[key]
          : Number.NaN,
    entry
  )

/** Whether there is an object at all, whose missing members are members that it does not tell. */
export const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A text at a path; undefined for anything else, an empty one included. */
export const textAt = (entry: unknown, ...path: ReadonlyArray<string>): string | undefined => {
  const value = at(entry, ...path)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** A text; decimal amounts in base units travel so. A number is its text, and what is neither is not told. */
export const text = Schema.optional(
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.NullOr(Schema.String), {
      decode: SchemaGetter.transform((given) =>
        typeof given === "string" ? given : typeof given === "number" ? String(given) : null
      ),
      encode: SchemaGetter.passthrough()
    })
  )
)

/** A time as ISO 8601 text. */
export const timeText = maybe(TimeText)

/**
 * A time in epoch milliseconds: of ISO 8601 text, or of a number of seconds or milliseconds since 1970. What is none is
 * NaN, which `observe` refuses as `as_of`: dated by the answer instead, figures of any age would look new.
 */
export const moment = Schema.optional(
  Schema.Unknown.pipe(
    Schema.decodeTo(Schema.NullOr(Schema.Number), {
      decode: SchemaGetter.transform(
        (given) => (typeof given === "string" ? parseTime(given) : undefined) ?? epochTime(given)
      ),
      encode: SchemaGetter.passthrough()
    })
  )
)

const epochTime = (given: unknown): number | null => {
  const value = numberOf(given, isSize)
  // As seconds the bound is in the year 33658, as milliseconds in 2001.
  return value !== null && value < 1e12 ? value * 1000 : value
}

const exactly = Schema.Unknown.pipe(
  Schema.decodeTo(Schema.NullOr(Schema.Union([Schema.Number, Schema.String])), {
    decode: SchemaGetter.transform((given) => exact(given)),
    encode: SchemaGetter.passthrough()
  })
)

/** An amount, exact where it is text: base units that a double cannot hold. What is neither text nor number is NaN. */
export const amount = Schema.optional(exactly)

/** Like `amount`, for what is 0 only if the upstream is broken: a 0 fails the whole answer and names the field. */
export const positiveAmount = Schema.optional(
  exactly.check(
    Schema.makeFilter((value) => value === null || Number(value) !== 0 || "Expected more than 0, got 0")
  )
)

/** Like `amount`, for a value taken out of an entry. */
export const exact = (value: unknown): number | string | null =>
  value === null || value === undefined
    ? null
    : typeof value === "string" || typeof value === "number"
      ? value
      : Number.NaN

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
  identity: (entry: A) => string | number
): ReadonlyArray<A> => {
  const first = new Map<string | number, A>()
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

/** The sum if every part was measured; undefined for an empty list. */
export const sum = (parts: ReadonlyArray<number | null | undefined>): number | undefined => {
  let total = 0
  for (const part of parts) {
    if (part === null || part === undefined) return undefined
    total += part
  }
  return parts.length === 0 ? undefined : total
}

/** The largest value if every part was measured, since a missing one might be larger; undefined for an empty list. */
export const largest = (parts: ReadonlyArray<number | null | undefined>): number | undefined => {
  const measured = parts.filter((part) => part !== null && part !== undefined)
  return measured.length === 0 || measured.length < parts.length ? undefined : Math.max(...measured)
}

/** `a` without its part `b`, if both were measured; NaN if the part exceeds the whole. */
export const difference = (
  a: number | null | undefined,
  b: number | null | undefined
): number | undefined => {
  if (a === null || a === undefined || b === null || b === undefined) return undefined
  return a < b ? Number.NaN : a - b
}

/** The exact difference `a - b` of decimal texts, if both were measured. */
export const exactDifference = (
  a: string | number | null | undefined,
  b: string | number | null | undefined
): string | undefined => {
  const [from, less] = [a, b].map((text) =>
    text === null || text === undefined ? undefined : decimalText(text)
  )
  if (from === undefined || less === undefined) return undefined
  const places = Math.max(...[from, less].map((text) => text.split(".")[1]?.length ?? 0))
  const whole = (text: string) => {
    const [units = "0", fraction = ""] = text.split(".")
    return BigInt(units + fraction.padEnd(places, "0"))
  }
  return fromBaseUnits(whole(from) - whole(less), places)
}

/**
 * How many of these words are `wanted`. Undefined when one of them is missing or no word of `known`, for nobody knows
 * what it stands for, and when there is none.
 */
export const countOf = (
  words: ReadonlyArray<string | null | undefined>,
  wanted: string,
  known: ReadonlyArray<string>
): number | undefined =>
  words.length > 0 && words.every((word) => typeof word === "string" && known.includes(word))
    ? words.filter((word) => word === wanted).length
    : undefined
