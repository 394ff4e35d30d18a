/** Figures that stand at fixed places of one JSON answer: what many small services give, each at its own places. */
import { Effect, Schema } from "effect"
import { fromBaseUnits } from "../decimals.ts"
import type { Reading } from "../Plugin.ts"
import { type Numeric, Unreadable } from "../Unreadable.ts"
import * as Upstream from "../Upstream.ts"
import { endOfDay } from "../Value.ts"
import { at, distinct, exact, isObject, momentOf, size, sum, tally } from "./fields.ts"

/** Members from the top of the answer, or from an entry; an entry of an array is named by its number. */
export type Path = ReadonlyArray<string>

/** Where a figure is, and what it is of what stands there. */
export type Place =
  /** The number itself; with `decimals`, an amount in base units. */
  | { readonly number: Path; readonly decimals?: number }
  /**
   * How many entries a list has, or members a map. `by` names what identifies an entry, a text or a whole number: each is
   * counted once. `where` counts only entries with one of these values there. An entry that does not tell either leaves
   * the count unmeasured. A list of as many entries as `most`, for which was asked, may be cut and is a failed read.
   */
  | {
      readonly entries: Path
      readonly by?: Path
      readonly where?: Where
      readonly mayBeEmpty?: true
      readonly most?: number
    }
  /** The sum over the entries of a list, or over the members of a map with an empty `of`. */
  | {
      readonly sum: Path
      readonly of: Path
      readonly by?: Path
      readonly where?: Where
      readonly most?: number
    }

interface Where {
  readonly at: Path
  readonly is: ReadonlyArray<string | number | boolean>
}

/** One answer and its figures. */
export interface Source<Name extends string> {
  readonly ask: Upstream.RequestOrUrl
  readonly figures: Readonly<Partial<Record<Name, Place>>>
  /** When the figures were true: ISO 8601 text, or seconds or milliseconds since 1970. Default: the `Date` header. */
  readonly as_of?: Path
  /** The figures are of the whole UTC day of `as_of`, and true at its end. */
  readonly daily?: true
  /** What the answer must say of itself, for example the netuid that it is about. */
  readonly must?: { readonly at: Path; readonly be: string | number | boolean }
}

const listAt = (body: unknown, path: Path): ReadonlyArray<unknown> | undefined => {
  const value = at(body, ...path)
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value as object) : undefined
}

/** The entries that count; undefined where one does not tell whether it does. */
const counted = (list: ReadonlyArray<unknown>, by: Path | undefined, where: Where | undefined) => {
  const matching =
    where === undefined ? list : list.filter((entry) => isOne(at(entry, ...where.at), where.is))
  if (where !== undefined && list.some((entry) => !isTold(at(entry, ...where.at), where.is))) return undefined
  if (by === undefined) return matching
  const ids = matching.map((entry) => idAt(entry, by))
  // A text among numbers, or a number among texts, names nothing: counted, one entry would be two.
  const isOneKind = new Set(ids.map((id) => typeof id)).size <= 1
  return ids.includes(undefined) || !isOneKind
    ? undefined
    : distinct(matching, (entry) => idAt(entry, by) ?? "")
}

const isOne = (value: unknown, words: Where["is"]) => words.some((word) => word === value)
/** Whether a value is one that decides: of the same type as those that count, and no empty text. */
const isTold = (value: unknown, words: Where["is"]) => value !== "" && typeof value === typeof words[0]

/** What identifies an entry: a text, or a whole number from 0 up. */
const idAt = (entry: unknown, by: Path): string | bigint | undefined => {
  const id = at(entry, ...by)
  if (typeof id === "string") return id === "" ? undefined : id
  const number = tally(id)
  return number === undefined || number instanceof Unreadable ? undefined : BigInt(String(number))
}

/**
 * Reads an answer and gives its figures. A missing one is not measured; an empty list is a failed read, unless it may be
 * empty. The whole answer is refused if it is not about what it must be about.
 */
export const read = Effect.fnUntraced(function* <Name extends string>({
  as_of,
  ask,
  daily,
  figures,
  must
}: Source<Name>) {
  const answer = yield* Upstream.json(ask, Schema.Unknown)
  if (must !== undefined && at(answer.body, ...must.at) !== must.be) {
    const actual = JSON.stringify(at(answer.body, ...must.at)) ?? "nothing"
    return yield* Upstream.implausible(
      answer,
      must.at.join("."),
      `${actual.slice(0, 60)} instead of ${must.be}`
    )
  }
  const values: Partial<Record<Name, Reading>> = {}
  let hasFigure = false
  for (const name of Object.keys(figures) as Array<Name>) {
    const place: Place | undefined = figures[name]
    if (place === undefined) continue
    const path = "number" in place ? place.number : "entries" in place ? place.entries : place.sum
    if ("number" in place) {
      const value = exact(at(answer.body, ...path))
      values[name] = place.decimals === undefined ? value : fromBaseUnits(value, place.decimals)
      hasFigure ||= value !== null
      continue
    }
    const list = listAt(answer.body, path)
    if (list === undefined) continue
    hasFigure = true
    const isEmpty = list.length === 0 && !("entries" in place && place.mayBeEmpty)
    if (isEmpty) return yield* Upstream.implausible(answer, path.join("."), "the list is empty")
    if (place.most !== undefined && list.length >= place.most) {
      return yield* Upstream.implausible(
        answer,
        path.join("."),
        `${list.length} entries: the list may be cut`
      )
    }
    const entries = counted(list, place.by, place.where)
    if ("entries" in place) values[name] = entries?.length
    else values[name] = entries === undefined ? undefined : total(entries, place.of)
  }
  if (!hasFigure) {
    return yield* Upstream.implausible(answer, "", `none of ${Object.keys(figures).join(", ")} is there`)
  }
  const moment = as_of === undefined ? undefined : momentOf(at(answer.body, ...as_of))
  return { answer, values, as_of: moment === undefined || daily !== true ? moment : endOfDay(moment) }
})

/** The sum; undefined where an entry does not tell its part, and 0 of no entry. */
const total = (entries: ReadonlyArray<unknown>, of: Path): Numeric | undefined =>
  entries.length === 0 ? 0 : sum(entries.map((entry) => size(at(entry, ...of))))
