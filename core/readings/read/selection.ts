/**
 * What a caller asks for of a list: the one parser of `symbols`, `metrics`, `category`, `fields`, `sort`, `limit` and
 * `cursor`, for REST, its CSV and MCP. It picks among what the caller's tier shows and never adds to it.
 */
import { Effect, Option, Schema } from "effect"
import { bySymbol } from "../../catalog/Catalog.ts"
import type { Category } from "../../plugin/kinds.ts"
import { compare } from "../../plugin/Value.ts"
import { validValuesCap } from "../../process/errors.ts"
import { choosable, mostNames, sortable, staysWithFields } from "../../wire/data/selection.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { declaredMetric, knownSymbol, type Page, page, type Raw, wholeNumber } from "./parameters.ts"
import { inTurn } from "./sample.ts"

/** Names as they are sent: one text with commas between them, or a list. */
export type Names = string | ReadonlyArray<string> | undefined

/** Which rows of a list. */
export interface Filter {
  readonly symbols?: Names
  readonly metrics?: Names
  readonly category?: Category | undefined
}

/** Which rows of a list, in which order, and which page of them. */
export interface Selection extends Filter {
  /** A member of a row; with `-` before it, the largest first. */
  readonly sort?: string | undefined
  readonly limit?: Raw
  readonly cursor?: string | undefined
}

/** A `Filter` whose names are known. */
export interface Chosen {
  readonly symbols: ReadonlySet<string> | undefined
  readonly metrics: ReadonlySet<string> | undefined
  readonly hasSymbol: (symbol: string) => boolean
  readonly hasMetric: (metric: string) => boolean
  /** True if it leaves nothing out. */
  readonly isAll: boolean
}

/** What a list is, for whoever selects from it. */
export interface ListShape<Row> {
  /** The members of a row. */
  readonly columns: ReadonlyArray<string>
  /** Identifies a row. */
  readonly key: (row: Row) => string
  /** `key`: without `sort`, rows are in the order of their keys. `list`: in one of their own, so a cursor is a row's place. */
  readonly order: "key" | "list"
  readonly limit: { readonly max: number; readonly fallback: number }
  /** True for the key of a row that has left the list since; of an order of its own nothing may have left. */
  readonly past: (cursor: string) => boolean
  /** What a row is sorted by, where its members are made later. */
  readonly member?: (row: Row, column: string) => unknown
}

/** What is said of a list of which nothing was sent. */
export const emptyList = (field: string): string => `${field} is an empty list.`

/** The names, each once; undefined if none were sent. Fails with `BadParameter`. */
export const namesOf = (
  field: string,
  raw: Names
): Effect.Effect<ReadonlyArray<string> | undefined, BadParameter> => {
  if (raw === undefined) return Effect.succeed(undefined)
  const names = typeof raw === "string" ? raw.split(",") : raw
  const valid = `1 to ${mostNames} names`
  const wrong =
    names.length === 0
      ? emptyList(field)
      : names.some((name) => name.trim() === "")
        ? `${field} has an empty name.`
        : names.length > mostNames
          ? `${field} has ${names.length} names; at most ${mostNames} fit into one call.`
          : undefined
  return wrong === undefined
    ? Effect.succeed([...new Set(names.map((name) => name.trim()))])
    : Effect.fail(new BadParameter({ field, message: wrong, valid }))
}

/** The symbols that are named. Fails with `BadParameter` and `UnknownSymbol`. */
export const chosenSymbols = Effect.fnUntraced(function* (raw: Names) {
  const names = yield* namesOf("symbols", raw)
  return names === undefined
    ? undefined
    : new Set(yield* Effect.forEach(names, (name) => knownSymbol("symbols", name)))
})

/** The metrics that are named: declared ones, or those among `measured`. Fails with `BadParameter`. */
export const chosenMetrics = Effect.fnUntraced(function* (raw: Names, measured: (metric: string) => boolean) {
  const names = yield* namesOf("metrics", raw)
  return names === undefined
    ? undefined
    : new Set(
        yield* Effect.forEach(names, (name) =>
          measured(name) ? Effect.succeed(name) : declaredMetric("metrics", name, [])
        )
      )
})

/** The metrics that are named, of a list that has a column for each. Fails with `BadParameter`. */
export const chosenColumns = (raw: Names, columns: ReadonlyArray<string>) =>
  chosenNames("metrics", raw, columns)

/** The names that are sent, of a closed list. Fails with `BadParameter`. */
export const chosenNames = Effect.fnUntraced(function* (
  field: string,
  raw: Names,
  valid: ReadonlyArray<string>
) {
  const names = yield* namesOf(field, raw)
  const unknown = names?.find((name) => !valid.includes(name))
  if (unknown !== undefined) return yield* unknownName(field, unknown, valid)
  return names === undefined ? undefined : new Set(names)
})

const unknownName = (field: string, name: string, valid: ReadonlyArray<string>) =>
  new BadParameter({
    field,
    message: `${field}: ${JSON.stringify(name.slice(0, 64))} is not one of ${valid.slice(0, validValuesCap).join(", ")}.`,
    valid_values: valid.slice(0, validValuesCap)
  })

/** The filter as a test. `measured`: whether the list has rows of a metric that no feed declares. */
export const choose = Effect.fnUntraced(function* (
  filter: Filter,
  measured: (metric: string) => boolean = () => false
) {
  const symbols = yield* chosenSymbols(filter.symbols)
  const metrics = yield* chosenMetrics(filter.metrics, measured)
  return chosenOf(symbols, metrics, filter.category)
})

/** The test of names that are known. */
export const chosenOf = (
  symbols: ReadonlySet<string> | undefined,
  metrics: ReadonlySet<string> | undefined,
  category: Category | undefined
): Chosen => ({
  symbols,
  metrics,
  hasSymbol: (symbol) =>
    symbols?.has(symbol) !== false && (category === undefined || bySymbol.get(symbol)?.category === category),
  hasMetric: (metric) => metrics?.has(metric) !== false,
  isAll: symbols === undefined && metrics === undefined && category === undefined
})

/** As many networks as anybody may name in one call and see in full: each of them has an address of its own anyway. */
export const namedInFull = 12

/**
 * The networks of `matching` (sorted, of the list that a caller chose) that he sees: all, or a sample of these. Up to twelve that
 * he names are always given, of more of them twelve in turn. `hidden` has those that he names and does not see.
 */
export const visibleTo = (
  matching: ReadonlyArray<string>,
  {
    breadth,
    named,
    sampleOf,
    today
  }: {
    readonly breadth: "all" | "sample"
    readonly named: ReadonlySet<string> | undefined
    /** The day's sample of some networks. */
    readonly sampleOf: (symbols: ReadonlyArray<string>) => ReadonlyArray<string>
    /** Number of the UTC day. */
    readonly today: number
  }
): { readonly visible: ReadonlyArray<string>; readonly hidden: ReadonlyArray<string> } => {
  if (breadth === "all") return { visible: matching, hidden: [] }
  if (named === undefined) return { visible: sampleOf(matching), hidden: [] }
  const open = named.size <= namedInFull ? named : inTurn(matching, namedInFull, today)
  return {
    visible: matching.filter((symbol) => open.has(symbol)),
    hidden: matching.filter((symbol) => !open.has(symbol))
  }
}

/** What a sorted list is an order of, where it is not one of all that match; said first, since the first row is quoted first. */
export const sortedWithin = (
  sort: string | undefined,
  visible: number,
  matching: number
): { readonly sorted_within?: string } =>
  sort === undefined || visible >= matching
    ? {}
    : {
        sorted_within: `${visible} of ${matching} matching networks, a sample of the day: an order among these, and none among all`
      }

type Sorted = number | string | null

const sortedBy = (value: unknown): Sorted => {
  if (typeof value === "boolean") return Number(value)
  return typeof value === "number" || typeof value === "string" ? value : null
}

interface Place {
  readonly value: Sorted
  readonly key: string
}

/** What has no value comes last in either direction; equal values are in the order of their keys. */
const inOrder = (descending: boolean) => (a: Place, b: Place) => {
  if (a.value === null || b.value === null) {
    return Number(a.value === null) - Number(b.value === null) || compare(a.key, b.key)
  }
  const order =
    typeof a.value === "number" && typeof b.value === "number"
      ? a.value - b.value
      : compare(String(a.value), String(b.value))
  return (descending ? -order : order) || compare(a.key, b.key)
}

/** The place of a row, and the `sort` of the list in which it has that place. */
const CursorText = Schema.fromJsonString(
  Schema.Tuple([Schema.Union([Schema.Finite, Schema.String, Schema.Null]), Schema.String, Schema.String])
)
const decodeCursor = Schema.decodeUnknownOption(CursorText)

/** The place that a cursor of the list in this order names; none if it is not such a cursor. */
export const cursorPlace = (cursor: string, sort: string): Option.Option<Place> =>
  decodeCursor(cursor).pipe(
    Option.filter(([, , sortThen]) => sortThen === sort),
    Option.map(([value, key]) => ({ value, key }))
  )

const placeOf = (cursor: string, sort: string): Effect.Effect<Place, BadParameter> => {
  const place = cursorPlace(cursor, sort)
  return Option.isSome(place)
    ? Effect.succeed(place.value)
    : Effect.fail(
        new BadParameter({
          field: "cursor",
          message: "cursor must be the next_cursor of the previous page, with the same sort.",
          valid: "`next_cursor` of the previous page, with the same `sort`"
        })
      )
}

const cursorAt = ({ key, value }: Place, sort: string): string => JSON.stringify([value, key, sort])

/** The order that `sort` names; undefined without it. Fails with `BadParameter`. */
const orderOf = (sort: string | undefined, columns: ReadonlyArray<string>) => {
  if (sort === undefined) return Effect.succeed(undefined)
  const field = sort.replace(/^-/, "")
  const valid = sortable(columns)
  return valid.includes(field)
    ? Effect.succeed({ field, descending: sort.startsWith("-"), sort })
    : Effect.fail(
        unknownName(
          "sort",
          field,
          valid.flatMap((name) => [name, `-${name}`])
        )
      )
}

/** Where the row that a cursor names is followed by the next. Fails with `BadParameter`. */
export const placeAfter = (keys: ReadonlyArray<string>, cursor: string | undefined) => {
  if (cursor === undefined) return Effect.succeed(0)
  const place = keys.indexOf(cursor)
  const valid = "next_cursor of the previous page, with the same selection"
  return place < 0
    ? Effect.fail(new BadParameter({ field: "cursor", message: `cursor must be ${valid}.`, valid }))
    : Effect.succeed(place + 1)
}

/** A page of rows in an order of their own. */
const pageInPlace = Effect.fnUntraced(function* <Row>(
  rows: ReadonlyArray<Row>,
  key: (row: Row) => string,
  limit: number,
  cursor: string | undefined
): Effect.fn.Return<Page<Row>, BadParameter> {
  const from = yield* placeAfter(rows.map(key), cursor)
  const items = rows.slice(from, from + limit)
  const last = items.at(-1)
  return { items, ...(last !== undefined && rows.length > from + limit ? { next: key(last) } : {}) }
})

/**
 * A page of the rows: in the order that `sort` names, else in that of their keys. The cursor of a sorted list names the last
 * row's value and key and the `sort`, so a page goes on after it even if that row has changed. Fails with `BadParameter`.
 */
export const pageOfRows = Effect.fnUntraced(function* <Row extends object>(
  rows: ReadonlyArray<Row>,
  { cursor, limit: raw, sort }: Pick<Selection, "cursor" | "limit" | "sort">,
  shape: ListShape<Row>
): Effect.fn.Return<Page<Row>, BadParameter> {
  const limit = yield* wholeNumber("limit", raw, { min: 1, ...shape.limit })
  const by = yield* orderOf(sort, shape.columns)
  if (by === undefined) {
    return shape.order === "key"
      ? yield* page(rows, shape.key, limit, cursor, shape.past)
      : yield* pageInPlace(rows, shape.key, limit, cursor)
  }
  const order = inOrder(by.descending)
  const member = shape.member ?? Reflect.get
  const after = cursor === undefined ? undefined : yield* placeOf(cursor, by.sort)
  const rest = rows
    .map((row) => ({ row, key: shape.key(row), value: sortedBy(member(row, by.field)) }))
    .filter((place) => after === undefined || order(place, after) > 0)
    .toSorted(order)
  const items = rest.slice(0, limit)
  const last = items.at(-1)
  return {
    items: items.map(({ row }) => row),
    ...(last !== undefined && rest.length > items.length ? { next: cursorAt(last, by.sort) } : {})
  }
})

/** Members that come with another: the exact number with the value. */
const together: Readonly<Record<string, ReadonlyArray<string>>> = { value: ["value_text"] }

/** The members that are left of a row, in its order; undefined without `fields`. Fails with `BadParameter`. */
export const fieldsOf = Effect.fnUntraced(function* (fields: Names, columns: ReadonlyArray<string>) {
  const names = yield* namesOf("fields", fields)
  if (names === undefined) return undefined
  const unknown = names.find((name) => !columns.includes(name))
  if (unknown !== undefined) return yield* unknownName("fields", unknown, choosable(columns))
  const chosen = new Set(names.flatMap((name) => [name, ...(together[name] ?? [])]))
  return columns.filter((column) => chosen.has(column) || staysWithFields.has(column))
})

/** The row with these members alone. Of `field_sources`, those of members that are left. */
export const cutRow = (row: object, columns: ReadonlyArray<string>): object =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (!columns.includes(name)) return []
      if (name !== "field_sources" || typeof value !== "object" || value === null) return [[name, value]]
      const sources = Object.entries(value).filter(([field]) => columns.includes(field))
      return sources.length === 0 ? [] : [[name, Object.fromEntries(sources)]]
    })
  )
