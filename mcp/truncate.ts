/** Keeps answers short: lists are paged, and `left_out` says what is missing and how to get it. */
import { Effect, Schema } from "effect"
import { BadParameter } from "../core/wire/problems/request.ts"

export const limit = (most: number, fallback: number, what: string) =>
  Schema.optionalKey(Schema.Int.annotate({ description: `${what}: 1 to ${most}, default ${fallback}` }))

export const cursor = Schema.optionalKey(Schema.String.annotate({ description: "the last next_cursor" }))

export const nextCursor = Schema.optionalKey(Schema.String)
export const leftOut = Schema.optionalKey(Schema.String)

export const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** Names with commas between them; a list is taken too. */
export const names = (description: string) =>
  Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({ description }))

/** The position that a cursor stands for; 0 without one. Fails on other texts, so a bad cursor does not restart the list. */
export const placeOf = (cursor: string | undefined): Effect.Effect<number, BadParameter> =>
  cursor === undefined
    ? Effect.succeed(0)
    : /^\d{1,9}$/.test(cursor)
      ? Effect.succeed(Number(cursor))
      : Effect.fail(
          new BadParameter({
            field: "cursor",
            message: "cursor must be the next_cursor of the previous page."
          })
        )

/** A page of a complete list, starting at `from`. */
export const slice = <A>(
  all: ReadonlyArray<A>,
  limit: number,
  from: number
): { readonly items: ReadonlyArray<A>; readonly next?: { readonly next_cursor: string } } => {
  const end = from + limit
  return { items: all.slice(from, end), ...(end < all.length ? { next: { next_cursor: String(end) } } : {}) }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isRows = (value: unknown): value is ReadonlyArray<object> =>
  Array.isArray(value) && value.some(isObject)

/** A page of a complete document: cuts each list of rows, at the top level and one level below, to the rows from `from` on. */
export const pageOf = (whole: object, limit: number, from: number) => {
  const end = from + limit
  const lists: Array<readonly [name: string, length: number]> = []
  const cut = (part: object, under: string): object =>
    Object.fromEntries(
      Object.entries(part).map(([name, member]) => {
        if (isRows(member)) {
          lists.push([`${under}${name}`, member.length])
          return [name, member.slice(from, end)]
        }
        const isPart = under === "" && isObject(member) && !Array.isArray(member)
        return [name, isPart ? cut(member, `${name}.`) : member]
      })
    )
  const answer = cut(whole, "")
  const longer = lists.filter(([, length]) => length > limit)
  return {
    answer,
    ...(longer.length === 0
      ? {}
      : {
          left_out: `Showing rows ${from + 1} to ${end} of ${longer.map((of) => of.join(": ")).join(", ")}.`
        }),
    ...(longer.some(([, length]) => length > end) ? { next_cursor: String(end) } : {})
  }
}

/** The most characters in an answer, unless a single row is longer. */
export const mostCharacters = 48_000

/** The same where the caller passed no limit: what a model reads without losing its thread, about 4,000 tokens. */
export const mostUnasked = 12_000

/** The most characters in the answer to a call with this limit. */
export const charactersOf = (limit: unknown): number => (limit === undefined ? mostUnasked : mostCharacters)

/** The page with as many rows as fit into an answer of `most` characters, up to `limit`. */
export const shrinkToFit = Effect.fnUntraced(function* <A, E, R>(
  limit: number,
  most: number,
  page: (limit: number) => Effect.Effect<A, E, R>
) {
  let rows = limit
  let answer = yield* page(rows)
  while (rows > 1 && JSON.stringify(answer).length > most) {
    rows = Math.floor(rows / 2)
    answer = yield* page(rows)
  }
  return answer
})

/** The most reasons in an answer: hundreds of networks in the catalog are not measured. */
export const mostReasons = 3

/** What a page of `count` rows from `from` on leaves out of `all`, with the names of the rows; undefined if nothing. */
export const restOf = (
  { from, count }: { readonly from: number; readonly count: number },
  all: ReadonlyArray<string>
): string | undefined => {
  if (count >= all.length) return undefined
  const others = [...all.slice(0, from), ...all.slice(from + count)]
  const named = others.slice(0, mostOthers).join(", ")
  const more = others.length > mostOthers ? `, and ${others.length - mostOthers} more` : ""
  return `${others.length} of ${all.length} rows: ${named}${more}.`
}

/** The most names of rows that were left out. */
const mostOthers = 60

/** Shortens `not_covered` and says how many entries there are. */
export const fewReasons = <A extends object>(answer: A): A => {
  const reasons = "not_covered" in answer ? answer.not_covered : undefined
  if (typeof reasons !== "object" || reasons === null) return answer
  const all = Object.entries(reasons)
  if (all.length <= mostReasons) return answer
  return {
    ...answer,
    not_covered: Object.fromEntries(all.slice(0, mostReasons)),
    left_out: `${all.length - mostReasons} of ${all.length} entries of not_covered. Call find_networks with a query to get the entry of a network.`
  }
}
