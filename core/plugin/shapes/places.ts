/** Expressions for places in an answer: a member, a count of entries, a sum, a difference. They are data, and no code. */
import { Effect } from "effect"
import { decimalOf, doubleOf, fromBaseUnits, isNumber, numberIn } from "../decimals.ts"
import type { Reading } from "../Plugin.ts"
import { type Numeric, Unreadable, unexpected, unreadableIn } from "../Unreadable.ts"
import * as Upstream from "../Upstream.ts"
import {
  at,
  difference,
  distinct,
  exact,
  exactDifference,
  exactSum,
  isObject,
  size,
  sum,
  tally,
  textAt
} from "./fields.ts"

/**
 * Members from the top of the answer, or from an entry: `data.nodes.0`, or a list where a name has a dot. An entry of an array
 * is named by its number, and an empty path is the whole. Where a list is looked for, `*` stands for each entry of the one before it:
 * `providers.*.machines` are the machines of all providers.
 */
export type Path = string | ReadonlyArray<string>

/** The names of a path, one by one. */
export const stepsOf = (path: Path): ReadonlyArray<string> =>
  typeof path !== "string" ? path : path === "" ? [] : path.split(".")

/** How reasons name a place; the whole answer, or a whole entry, is its value. */
export const nameOf = (path: Path): string => {
  const steps = stepsOf(path)
  return steps.length === 0 ? "value" : steps.join(".")
}

/** What stands at a path. */
export const valueAt = (body: unknown, path: Path): unknown => at(body, ...stepsOf(path))

/** A list at a path, or the members of a map; undefined for anything else. */
export const listAt = (body: unknown, path: Path): ReadonlyArray<unknown> | undefined => {
  const value = valueAt(body, path)
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value as object) : undefined
}

/** The step that stands for each entry of a list. */
export const each = "*"

/** Like `listAt`, for a path with `*`: the entries of all lists in a list, or why those of one cannot be told. */
const entriesAt = (
  body: unknown,
  path: Path,
  mayBeEmpty: boolean
): ReadonlyArray<unknown> | Unreadable | undefined => {
  const steps = stepsOf(path)
  const depth = steps.indexOf(each)
  if (depth < 0) return listAt(body, path)
  const [outer, inner] = [steps.slice(0, depth), steps.slice(depth + 1)]
  const lists = listAt(body, outer)?.map((entry) => {
    const list = entriesAt(entry, inner, mayBeEmpty)
    if (list === undefined)
      return Upstream.unreadable(`an entry of ${nameOf(outer)} does not tell its ${nameOf(inner)}`)
    return list instanceof Unreadable || list.length > 0 || mayBeEmpty
      ? list
      : Upstream.unreadable(`an entry of ${nameOf(outer)} has no ${nameOf(inner)}`)
  })
  return lists === undefined
    ? undefined
    : (unreadableIn(lists) ?? lists.flatMap((list) => list as ReadonlyArray<unknown>))
}

type Word = string | number | boolean

/** The entries that count: those with one of these values at a place, or with any but these. */
export type Where =
  | {
      readonly at: Path
      readonly is: ReadonlyArray<Word>
      /** All other words that the upstream has: with one that is neither, the figure cannot be read. */
      readonly others?: ReadonlyArray<Word>
    }
  | { readonly at: Path; readonly not: ReadonlyArray<Word> }
  /** Those that have nothing there, such as no error. */
  | { readonly at: Path; readonly none: true }

/** What identifies an entry: a text or a whole number at a path, or what stands at several paths together. */
export type By = Path | { readonly each: ReadonlyArray<Path> }

/** Which entries of a list count, and how often. */
interface Entries {
  /** Each of these is counted once. */
  readonly by?: By
  /** With an entry that does not tell this, or its identity, the figure cannot be read. */
  readonly where?: Where
  /** One entry in a hundred may tell neither, and is passed over: a garbled line of a long list costs nothing else. */
  readonly mostly?: true
  /** A list of as many entries, for which was asked or as the answer says there, may be cut and is a failed read. */
  readonly most?: number | Path
  /** An empty list is a measured 0, and so is one in a list; else it is a failed read. */
  readonly mayBeEmpty?: true
}

/** Where a figure is, and what it is of what stands there. */
export type Place =
  /** The number itself. */
  | Path
  /**
   * With `decimals`, an amount in base units, with all of its digits; with `times`, a number in a larger unit, such as 1024 for
   * kibibytes; `or` is where it stood, or stands, in other versions.
   */
  | { readonly number: Path; readonly or?: Path; readonly decimals?: number; readonly times?: number }
  /** Several members together, if all of them are there. */
  | { readonly plus: ReadonlyArray<Path>; readonly decimals?: number }
  /** A member without another one that is a part of it. */
  | { readonly whole: Path; readonly less: Path; readonly decimals?: number }
  /** How many entries a list has, or members a map. An empty one is a failed read, unless it may be. */
  | (Entries & { readonly entries: Path })
  /** The sum over the entries of a list, or over the members of a map with an empty `of`. */
  | (Entries & { readonly sum: Path; readonly of: Path; readonly times?: number })

/** How a number is taken out of an answer: what it is to be, such as a count. */
export type Decode = (value: unknown) => Reading

const isPath = (place: Place): place is Path => typeof place === "string" || Array.isArray(place)

type Listed = Extract<Place, { readonly entries: Path } | { readonly sum: Path }>

const isListed = (place: Place): place is Listed => !isPath(place) && ("entries" in place || "sum" in place)

/** The paths at which a place reads, from the top of the answer. */
export const pathsOf = (place: Place): ReadonlyArray<Path> => {
  if (isPath(place)) return [place]
  if ("number" in place) return place.or === undefined ? [place.number] : [place.number, place.or]
  if ("plus" in place) return place.plus
  if ("whole" in place) return [place.whole, place.less]
  return ["entries" in place ? place.entries : place.sum]
}

/**
 * The figure at a place: undefined where nothing is, `Unreadable` where something else is. An empty list and one that may be cut
 * fail the answer.
 */
export const figureAt = Effect.fnUntraced(function* (
  answer: Upstream.Answer<unknown>,
  body: unknown,
  place: Place,
  decode: Decode
) {
  return isListed(place) ? yield* listedAt(answer, body, place) : numberAt(body, place, decode)
})

const numberAt = (body: unknown, place: Exclude<Place, Listed>, decode: Decode): Reading => {
  if (isPath(place)) return decode(valueAt(body, place))
  const { decimals } = place
  const amount = (path: Path) => exact(valueAt(body, path))
  const member = (path: Path) => decode(valueAt(body, path)) as Numeric | null | undefined
  if ("number" in place) {
    const { number, or } = place
    const path = or !== undefined && (valueAt(body, number) ?? undefined) === undefined ? or : number
    const value = decode(valueAt(body, path))
    if (place.times !== undefined) return scaled(value, place.times)
    return decimals === undefined || value instanceof Unreadable
      ? value
      : fromBaseUnits(amount(path), decimals)
  }
  if ("plus" in place) {
    return decimals === undefined
      ? sum(place.plus.map(member))
      : fromBaseUnits(exactSum(place.plus.map(amount)), decimals)
  }
  return decimals === undefined
    ? difference(member(place.whole), member(place.less))
    : fromBaseUnits(exactDifference(amount(place.whole), amount(place.less)), decimals)
}

/** A number times a whole one, with all of its digits. */
const scaled = (reading: Reading, times = 1): Reading => {
  const text = decimalOf(reading)
  if (times === 1 || text === undefined || text instanceof Unreadable) return times === 1 ? reading : text
  const [whole = "", fraction = ""] = text.split(".")
  return numberIn(fromBaseUnits(BigInt(whole + fraction) * BigInt(times), fraction.length))
}

const listedAt = Effect.fnUntraced(function* (
  answer: Upstream.Answer<unknown>,
  body: unknown,
  place: Listed
) {
  const [path = ""] = pathsOf(place)
  const list = entriesAt(body, path, place.mayBeEmpty === true)
  if (list instanceof Unreadable) return list
  if (list === undefined) {
    const value = valueAt(body, path) ?? undefined
    return value === undefined ? undefined : unexpected(value, "a list")
  }
  const name = stepsOf(path).join(".")
  if (list.length === 0 && place.mayBeEmpty !== true) {
    return yield* Upstream.implausible(answer, name, "the list is empty")
  }
  if (list.length >= mostOf(body, place.most)) {
    return yield* Upstream.implausible(answer, name, `${list.length} entries: the list may be cut`)
  }
  const chosen = counted(list, place)
  if (chosen instanceof Unreadable) return chosen
  // The members of a map are alike; those of an error, or of a wrapper, are not.
  if (new Set(list.filter((member) => member !== null).map(kindOf)).size > 1 && isObject(valueAt(body, path)))
    return Upstream.unreadable(`${nameOf(path)} has members of several kinds`)
  return "entries" in place ? chosen.length : scaled(total(chosen, place.of), place.times)
})

const kindOf = (value: unknown): string => (Array.isArray(value) ? "list" : typeof value)

/** How long a list is that may have been cut. */
const mostOf = (body: unknown, most: number | Path = Number.POSITIVE_INFINITY): number => {
  const limit = typeof most === "number" ? most : valueAt(body, most)
  return isNumber(limit) ? doubleOf(limit) : Number.POSITIVE_INFINITY
}

/** The entries that count, or why they cannot be told from the others. */
const counted = (
  all: ReadonlyArray<unknown>,
  { by, mostly, where }: Entries
): ReadonlyArray<unknown> | Unreadable => {
  const readable = mostly === true ? all.filter((entry) => isReadable(entry, by, where)) : all
  const list = (all.length - readable.length) * 100 > all.length ? all : readable
  const chosen = where === undefined ? list : chosenFrom(list, where)
  if (by === undefined || chosen instanceof Unreadable) return chosen
  const ids = chosen.map((entry) => idAt(entry, by))
  // A text among numbers, or a number among texts, names nothing: counted, one entry would be two.
  const isOneKind = new Set(ids.map((id) => typeof id)).size <= 1
  return ids.includes(undefined) || !isOneKind
    ? Upstream.unreadable(`an entry does not tell its ${namesOf(by)}, by which it is counted`)
    : distinct(chosen, (entry) => idAt(entry, by) ?? "")
}

const chosenFrom = (list: ReadonlyArray<unknown>, where: Where): ReadonlyArray<unknown> | Unreadable => {
  const words = list.map((entry) => valueAt(entry, where.at))
  if (!words.every((word) => isTold(word, where))) {
    return Upstream.unreadable(`an entry does not tell its ${nameOf(where.at)}`)
  }
  const odd = words.find((word) => !isKnown(word, where))
  return odd === undefined
    ? list.filter((_, index) => isChosen(words[index], where))
    : Upstream.unreadable(`an entry has an unknown ${nameOf(where.at)}: ${JSON.stringify(odd)}`)
}

const wordsOf = (where: Where): ReadonlyArray<unknown> =>
  "is" in where ? where.is : "not" in where ? where.not : []
const isChosen = (word: unknown, where: Where): boolean =>
  "none" in where ? (word ?? undefined) === undefined : wordsOf(where).includes(word) === "is" in where
const isKnown = (word: unknown, where: Where): boolean =>
  !("is" in where) || where.others === undefined || [...where.is, ...where.others].some((one) => one === word)

/** Whether a word is one that decides: of the same type as those that count, and an empty text only where it is one of them. */
const isTold = (word: unknown, where: Where): boolean =>
  "none" in where ||
  (typeof word === typeof wordsOf(where)[0] && (word !== "" || wordsOf(where).includes("")))

const isReadable = (entry: unknown, by: By | undefined, where: Where | undefined): boolean =>
  (where === undefined || isTold(valueAt(entry, where.at), where)) &&
  (by === undefined || idAt(entry, by) !== undefined)

const isEach = (by: By): by is { readonly each: ReadonlyArray<Path> } =>
  typeof by === "object" && "each" in by

const namesOf = (by: By): string => (isEach(by) ? by.each.map(nameOf).join(", ") : nameOf(by))

/** What identifies an entry: a text, or a whole number from 0 up. Of several paths, whatever stands there. */
const idAt = (entry: unknown, by: By): string | bigint | undefined => {
  if (isEach(by)) return JSON.stringify(by.each.map((path) => valueAt(entry, path)))
  const id = valueAt(entry, by)
  if (typeof id === "string") return id === "" ? undefined : id
  const number = tally(id)
  return number === undefined || number instanceof Unreadable ? undefined : BigInt(String(number))
}

/** The sum, or which part is not told; 0 of no entry. */
const total = (entries: ReadonlyArray<unknown>, of: Path): Numeric =>
  entries.length === 0
    ? 0
    : (sum(entries.map((entry) => size(valueAt(entry, of)))) ??
      Upstream.unreadable(`an entry does not tell its ${nameOf(of)}`))

/** Nodes by country: entries of a list, each a node, or a country with its `nodes`. An empty list, and one of which no entry counts, is a failed read. */
export interface Countries extends Omit<Entries, "mayBeEmpty"> {
  readonly countries: Path
  /** Where an entry names its country, by code or in English: the first of these that does. */
  readonly code: ReadonlyArray<string>
  /** How many nodes an entry stands for, where each is a country. */
  readonly nodes?: Path
}

/** What `byCountry` of countries.ts takes: the country of each entry that counts. */
export const countriesAt = Effect.fnUntraced(function* (
  answer: Upstream.Answer<unknown>,
  body: unknown,
  place: Countries
) {
  const { code, countries, nodes } = place
  const name = stepsOf(countries).join(".")
  const list = valueAt(body, countries) ?? []
  if (!Array.isArray(list)) return yield* Upstream.implausible(answer, name, "Expected array")
  if (list.length === 0) return yield* Upstream.implausible(answer, name, "the list is empty")
  const chosen = list.every((entry) => isObject(entry))
    ? counted(list, place)
    : Upstream.unreadable("an entry is no object")
  if (chosen instanceof Unreadable) return [["", chosen] as const]
  if (chosen.length === 0) return yield* Upstream.implausible(answer, name, "no entry counts")
  return chosen.map((entry) => {
    const country = code.map((path) => textAt(entry, ...stepsOf(path))).find((word) => word !== undefined)
    if (nodes === undefined) return [country, 1] as const
    const amount = size(valueAt(entry, nodes))
    return [country, amount ?? Upstream.unreadable(`an entry does not tell its ${nameOf(nodes)}`)] as const
  })
})
