/** One comparison: a value that the service published of a day, and what each observer published of the same series and day. */
import { inPlace, Malformed } from "./bytes.ts"
import { canonical, parseCanonical } from "./canonical.ts"
import { checkTag, isExactTextOf, leafBytes, leafHashHex, type RowLeaf, type Tag } from "./leaf.ts"
import * as s from "./shape.ts"
import { hour } from "./time.ts"

/** By how much two values of one figure may differ: by a share of the larger one, or by so much in its unit. 0: not at all. */
export type Tolerance = { readonly relative: number } | { readonly absolute: number }

/**
 * The greatest tolerance: beyond a factor of two, or a whole point, rank or other unit, two numbers say nothing together. From 1 on, a share
 * would be met by any two numbers of one sign.
 */
export const greatestTolerance = { relative: 0.5, absolute: 1 } as const

/** A tolerance as a comparison may have it: what a manifest says beyond the greatest is the greatest. */
export const boundedTolerance = (tolerance: Tolerance): Tolerance =>
  "absolute" in tolerance
    ? { absolute: Math.min(tolerance.absolute, greatestTolerance.absolute) }
    : { relative: Math.min(tolerance.relative, greatestTolerance.relative) }

/**
 * `equal`: the same number. `close`: within the tolerance. `differs`: outside of it, or in another unit. `silent`: the observer
 * was not read, has no value of the series and day, or one of another time (`comparableWithin`).
 */
export type Relation = "equal" | "close" | "differs" | "silent"

/** What one observer published. Its value, time and leaf are there exactly if it has a leaf that counts readings. */
export interface Sighting {
  /** Its place among the document's observers. */
  readonly observer: number
  readonly relation: Relation
  readonly value?: number
  /** The exact number, as in its leaf. */
  readonly value_text?: string
  /** Its unit, exactly if that is not the one of the service's value. */
  readonly unit?: string
  readonly as_of?: string
  /** RFC 9162 hash of its leaf, under the `batch_root` of the observer. */
  readonly leaf_hash?: string
}

export interface AgreementLeaf {
  readonly v: Tag<"service-agreement-leaf-v1">
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly day: string
  /** RFC 9162 hash of the service's own leaf, which is in its batch of the day. */
  readonly leaf_hash: string
  readonly tolerance: Tolerance
  /** One for each observer, in their order. */
  readonly seen: ReadonlyArray<Sighting>
  readonly simulated?: true
}

export const agreementLeafTag = "service-agreement-leaf-v1"

/** Values whose times lie further apart are not compared: one of the two has stopped, and the figure may have moved. Milliseconds. */
export const comparableWithin = 6 * hour

const sightingShape: s.Shape<Sighting> = {
  observer: s.count,
  relation: s.oneOf("equal", "close", "differs", "silent"),
  value: s.optional(s.number),
  value_text: s.optional(s.name),
  unit: s.optional(s.name),
  as_of: s.optional(s.time),
  leaf_hash: s.optional(s.hash)
}

const isTolerance = (value: unknown): value is Tolerance => {
  const { absolute, relative } = s.readShape<{ readonly absolute?: number; readonly relative?: number }>(
    "a tolerance",
    value,
    { absolute: s.optional(s.number), relative: s.optional(s.number) }
  )
  const [amount, ...others] = [absolute, relative].filter((one) => one !== undefined)
  if (amount === undefined || others.length > 0 || amount < 0)
    throw new Malformed("a tolerance must have either `relative` or `absolute`, 0 or more")
  const greatest = absolute === undefined ? greatestTolerance.relative : greatestTolerance.absolute
  if (amount > greatest)
    throw new Malformed(`a tolerance of ${amount} is above the greatest, ${greatest}: nothing could differ`)
  return true
}

const shape: s.Shape<AgreementLeaf> = {
  v: s.oneOf<Tag<"service-agreement-leaf-v1">>(agreementLeafTag, `${agreementLeafTag}-demo`),
  symbol: s.name,
  metric: s.name,
  source: s.name,
  day: s.day,
  leaf_hash: s.hash,
  tolerance: { is: isTolerance, says: "a tolerance", optional: false },
  seen: s.listOf(s.nested("an observer's value", sightingShape)),
  simulated: s.optional(s.trueOrAbsent)
}

const checkSighting = (sighting: Sighting, place: number): void => {
  const { as_of, leaf_hash, observer, relation, unit, value, value_text } = sighting
  if (observer !== place)
    throw new Malformed(`a comparison names observer ${observer} at place ${place}: each once, in order`)
  const there = value !== undefined
  if ([as_of, leaf_hash].some((one) => (one !== undefined) !== there))
    throw new Malformed("an observer's `value`, `as_of` and `leaf_hash` must be there together")
  if (!there && (unit !== undefined || value_text !== undefined))
    throw new Malformed("an observer without a value cannot have `unit` or `value_text`")
  if (!there && relation !== "silent")
    throw new Malformed(`an observer without a value is silent, not ${relation}`)
  if (there && value_text !== undefined && !isExactTextOf(value_text, value))
    throw new Malformed(
      `an observer's value_text ${value_text} must be the number whose nearest double is its value`
    )
}

const check = (value: unknown): AgreementLeaf => {
  const leaf = s.readShape("a comparison", value, shape)
  checkTag(leaf, agreementLeafTag)
  for (const [place, sighting] of leaf.seen.entries()) checkSighting(sighting, place)
  return leaf
}

/** The leaf's canonical JSON. Throws `Malformed` if the leaf is not valid. */
export const agreementLeafText = (leaf: AgreementLeaf): string => canonical(check(leaf))

/** Parses a leaf, which must be canonical JSON. Throws `Malformed`. */
export const parseAgreementLeaf = (text: string): AgreementLeaf => check(parseCanonical(text))

/** Parses the leaves of a day, one a line. Throws `Malformed`, naming the line. */
export const parseAgreementLeaves = (text: string): ReadonlyArray<AgreementLeaf> => {
  const lines = text.split("\n")
  if (lines.pop() !== "") throw new Malformed("the last line of the comparisons does not end")
  return lines.map((line, at) => {
    try {
      return parseAgreementLeaf(line)
    } catch (error) {
      if (error instanceof Malformed) throw inPlace(`comparison ${at}`, error)
      throw error
    }
  })
}

/** A value as a leaf has it. */
export type Published = Pick<RowLeaf, "as_of" | "unit" | "value" | "value_text">

/** Whether a leaf publishes a value of its batch's own day, which can be compared: no incident excludes it, and readings are left. */
export const isComparable = (leaf: RowLeaf, day: string): boolean =>
  leaf.day === day && leaf.excluded_by === undefined && leaf.n_observations > 0

const isWithin = (a: number, b: number, tolerance: Tolerance): boolean =>
  Math.abs(a - b) <=
  ("absolute" in tolerance ? tolerance.absolute : tolerance.relative * Math.max(Math.abs(a), Math.abs(b)))

const exactText = ({ value, value_text }: Published): string => value_text ?? canonical(value)

/** How an observer's value stands to the one of the service. */
export const relationOf = (own: Published, remote: Published | undefined, tolerance: Tolerance): Relation => {
  if (remote === undefined) return "silent"
  if (Math.abs(Date.parse(own.as_of) - Date.parse(remote.as_of)) > comparableWithin) return "silent"
  if (own.unit !== remote.unit) return "differs"
  if (exactText(own) === exactText(remote)) return "equal"
  return isWithin(own.value, remote.value, tolerance) ? "close" : "differs"
}

/** What all observers say of a value: the furthest of their relations; silent if none has a value to compare. */
export const verdictOf = (leaf: Pick<AgreementLeaf, "seen">): Relation =>
  (["differs", "close", "equal"] as const).find((one) =>
    leaf.seen.some(({ relation }) => relation === one)
  ) ?? "silent"

/** How many observers have a value to compare, and how many of them have the same or one within the tolerance. */
export const seenBy = (
  leaf: Pick<AgreementLeaf, "seen">
): { readonly n_observers: number; readonly n_agree: number } => {
  const compared = leaf.seen.filter(({ relation }) => relation !== "silent")
  return {
    n_observers: compared.length,
    n_agree: compared.filter(({ relation }) => relation !== "differs").length
  }
}

/** The value that a comparison has of an observer; undefined if it has none. */
const publishedBy = ({ as_of, unit, value, value_text }: Sighting, own: RowLeaf): Published | undefined =>
  value === undefined || as_of === undefined
    ? undefined
    : { value, as_of, unit: unit ?? own.unit, ...(value_text === undefined ? {} : { value_text }) }

/** Throws `Malformed` unless the comparison is of this leaf of the service, and says of each observer what their values say. */
export const checkComparison = (leaf: AgreementLeaf, own: RowLeaf): void => {
  const { symbol, metric, source, day } = leaf
  if (
    [symbol, metric, source, day].join("\n") !== [own.symbol, own.metric, own.source, own.day].join("\n") ||
    leaf.leaf_hash !== leafHashHex(leafBytes(own))
  )
    throw new Malformed(
      `the comparison of ${metric} of ${symbol} by ${source} on ${day} is not about the leaf ${own.metric} of ${own.symbol} by ${own.source}`,
      "contradiction"
    )
  for (const one of leaf.seen) {
    if (one.unit === own.unit)
      throw new Malformed("an observer's `unit` must be there only if it is another", "contradiction")
    const expected = relationOf(own, publishedBy(one, own), leaf.tolerance)
    if (one.relation !== expected)
      throw new Malformed(
        `${metric} of ${symbol} by ${source}: observer ${one.observer} is called ${one.relation}, but its value says ${expected}`,
        "contradiction"
      )
  }
}
