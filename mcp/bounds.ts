/** How long answers are: a page by default, and what a page leaves out is said with the way to it. */
import { Effect, Schema } from "effect"
import { BadParameter } from "../core/wire/problems/request.ts"

export const limit = (most: number, fallback: number, what: string) =>
  Schema.optionalKey(Schema.Int.annotate({ description: `${what}: 1 to ${most}, default ${fallback}` }))

export const cursor = Schema.optionalKey(
  Schema.String.annotate({ description: "next_cursor of the page before" })
)

export const nextCursor = Schema.optionalKey(Schema.String)
export const leftOut = Schema.optionalKey(Schema.String)

export const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** The place that a cursor of ours names, the first without one. Another text is refused: the first page again would pass for the next. */
export const placeOf = (cursor: string | undefined): Effect.Effect<number, BadParameter> =>
  cursor === undefined
    ? Effect.succeed(0)
    : /^\d{1,9}$/.test(cursor)
      ? Effect.succeed(Number(cursor))
      : Effect.fail(
          new BadParameter({ field: "cursor", message: "cursor takes next_cursor of the page before." })
        )

/** A page of a list that core gives whole, from one place on. */
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

/** A page of a document that core gives whole: of each list of rows in it, and in its parts, the rows from one place on. */
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
      : { left_out: `Rows ${from + 1} to ${end} of ${longer.map((of) => of.join(": ")).join(", ")}.` }),
    ...(longer.some(([, length]) => length > end) ? { next_cursor: String(end) } : {})
  }
}

/** Characters of what one answer carries; one row may be longer. */
export const mostCharacters = 48_000

/** The page with as many rows as fit into an answer, at most `limit`. */
export const fitting = Effect.fnUntraced(function* <A, E, R>(
  limit: number,
  page: (limit: number) => Effect.Effect<A, E, R>
) {
  let rows = limit
  let made = yield* page(rows)
  while (rows > 1 && JSON.stringify(made).length > mostCharacters) {
    rows = Math.floor(rows / 2)
    made = yield* page(rows)
  }
  return made
})

/** Reasons of one answer: the catalog has hundreds of networks that nobody measures. */
export const mostReasons = 10

/** The answer with the first reasons of `not_covered`, and how many there are. */
export const fewReasons = <A extends object>(answer: A): A => {
  const reasons = "not_covered" in answer ? answer.not_covered : undefined
  if (typeof reasons !== "object" || reasons === null) return answer
  const all = Object.entries(reasons)
  if (all.length <= mostReasons) return answer
  return {
    ...answer,
    not_covered: Object.fromEntries(all.slice(0, mostReasons)),
    left_out: `${all.length - mostReasons} of ${all.length} entries of not_covered: find_networks with a query gives a network's own.`
  }
}
