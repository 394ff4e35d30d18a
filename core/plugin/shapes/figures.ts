/** Figures that stand at fixed places of one JSON answer: what many small services give, each at its own places. */
import { Effect, Schema } from "effect"
import { fromBaseUnits } from "../decimals.ts"
import type { Reading } from "../Plugin.ts"
import { statedIn } from "../statedErrors.ts"
import { type Numeric, Unreadable } from "../Unreadable.ts"
import * as Upstream from "../Upstream.ts"
import { endOfDay } from "../Value.ts"
import { at, distinct, exact, isObject, momentOf, size, sum, tally } from "./fields.ts"
import { firstOf } from "./gateways.ts"

/** Members from the top of the answer, or from an entry; an entry of an array is named by its number. */
export type Path = ReadonlyArray<string>

/** Where a figure is, and what it is of what stands there. */
export type Place =
  /** The number itself; with `decimals`, an amount in base units. */
  | { readonly number: Path; readonly decimals?: number }
  /**
   * How many entries a list has, or members a map. `by` names what identifies an entry, a text or a whole number: each is
   * counted once. `where` counts only entries with one of these values there. With an entry that does not tell either, the
   * count cannot be read. A list of as many entries as `most`, for which was asked, may be cut and is a failed read.
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
  /** Other addresses that answer the same, asked in turn while the one before is gone or limits (`firstOf` of gateways.ts). */
  readonly others?: ReadonlyArray<string>
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

/** The entries that count, or why they cannot be told from the others. */
const counted = (
  list: ReadonlyArray<unknown>,
  by: Path | undefined,
  where: Where | undefined
): ReadonlyArray<unknown> | Unreadable => {
  if (where !== undefined && list.some((entry) => !isTold(at(entry, ...where.at), where.is))) {
    return Upstream.unreadable(`an entry does not tell its ${nameOf(where.at)}`)
  }
  const chosen = where === undefined ? list : list.filter((entry) => isOne(at(entry, ...where.at), where.is))
  if (by === undefined) return chosen
  const ids = chosen.map((entry) => idAt(entry, by))
  // A text among numbers, or a number among texts, names nothing: counted, one entry would be two.
  const isOneKind = new Set(ids.map((id) => typeof id)).size <= 1
  return ids.includes(undefined) || !isOneKind
    ? Upstream.unreadable(`an entry does not tell its ${nameOf(by)}, by which it is counted`)
    : distinct(chosen, (entry) => idAt(entry, by) ?? "")
}

/** How reasons name a place; the whole answer, or a whole entry, is its value. */
const nameOf = (path: Path): string => (path.length === 0 ? "value" : path.join("."))

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

const pathOf = (place: Place): Path =>
  "number" in place ? place.number : "entries" in place ? place.entries : place.sum

const isThere = (body: unknown, place: Place): boolean =>
  "number" in place ? exact(at(body, ...place.number)) !== null : listAt(body, pathOf(place)) !== undefined

/**
 * Reads an answer and gives its figures. One that is missing cannot be read, and says so; an empty list is a failed read,
 * unless it may be empty. The whole answer is refused if it is not about what it must be about. An answer with an error in the
 * place of all figures is a refusal, also with status 200.
 */
export const read = <Name extends string>(source: Source<Name>) => {
  const { ask, others = [] } = source
  const first = typeof ask === "string" ? ask : ask.url
  return firstOf([first, ...others], (url) =>
    readFrom(typeof ask === "string" ? url : { ...ask, url }, source)
  )
}

const readFrom = Effect.fnUntraced(function* <Name extends string>(
  target: Upstream.RequestOrUrl,
  { as_of, daily, figures, must }: Source<Name>
) {
  const answer = yield* Upstream.json(target, Schema.Unknown)
  const { body } = answer
  const places = Object.entries<Place | undefined>(figures).flatMap(([name, place]) =>
    place === undefined ? [] : [[name as Name, place] as const]
  )
  const isAnswer = must === undefined || at(body, ...must.at) === must.be
  const isEmpty = !places.some(([, place]) => isThere(body, place))
  const refusal = isAnswer && !isEmpty ? undefined : statedIn(body)
  if (refusal !== undefined) return yield* Upstream.statedBy(answer.url, refusal)
  if (must !== undefined && !isAnswer) {
    const value = JSON.stringify(at(body, ...must.at)) ?? "nothing"
    return yield* Upstream.implausible(
      answer,
      must.at.join("."),
      `${value.slice(0, 60)} instead of ${must.be}`
    )
  }
  if (isEmpty) {
    const names = places.map(([name]) => name).join(", ")
    return yield* Upstream.implausible(answer, "", `none of ${names} is there`)
  }
  const values: Partial<Record<Name, Reading>> = {}
  for (const [name, place] of places) values[name] = yield* figureAt(answer, place)
  const moment = as_of === undefined ? undefined : momentOf(at(body, ...as_of))
  return { answer, values, as_of: moment === undefined || daily !== true ? moment : endOfDay(moment) }
})

const figureAt = Effect.fnUntraced(function* (answer: Upstream.Answer<unknown>, place: Place) {
  const path = pathOf(place)
  if (!isThere(answer.body, place)) {
    return Upstream.unreadable(`${nameOf(path)} is not in the answer`)
  }
  if ("number" in place) {
    const value = exact(at(answer.body, ...path))
    return place.decimals === undefined ? value : fromBaseUnits(value, place.decimals)
  }
  const list = listAt(answer.body, path) ?? []
  if (list.length === 0 && !("entries" in place && place.mayBeEmpty)) {
    return yield* Upstream.implausible(answer, path.join("."), "the list is empty")
  }
  if (place.most !== undefined && list.length >= place.most) {
    return yield* Upstream.implausible(answer, path.join("."), `${list.length} entries: the list may be cut`)
  }
  const chosen = counted(list, place.by, place.where)
  if (chosen instanceof Unreadable) return chosen
  return "entries" in place ? chosen.length : total(chosen, place.of)
})

/** The sum, or which part is not told; 0 of no entry. */
const total = (entries: ReadonlyArray<unknown>, of: Path): Numeric =>
  entries.length === 0
    ? 0
    : (sum(entries.map((entry) => size(at(entry, ...of)))) ??
      Upstream.unreadable(`an entry does not tell its ${nameOf(of)}`))
