/** How long answers are: a page by default, and what a page leaves out is said with the way to it. */
import { Schema } from "effect"

export const limit = (most: number, fallback: number, what: string) =>
  Schema.optionalKey(Schema.Int.annotate({ description: `${what}: 1 to ${most}, default ${fallback}` }))

export const cursor = Schema.optionalKey(
  Schema.String.annotate({ description: "next_cursor of the page before" })
)

export const nextCursor = Schema.optionalKey(Schema.String)
export const leftOut = Schema.optionalKey(Schema.String)

export const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** A page of a list that core gives whole; the cursor is the place of its first item. */
export const slice = <A>(
  all: ReadonlyArray<A>,
  limit: number,
  cursor: string | undefined
): { readonly items: ReadonlyArray<A>; readonly next?: { readonly next_cursor: string } } => {
  const from = cursor !== undefined && /^\d{1,9}$/.test(cursor) ? Number(cursor) : 0
  const end = from + limit
  return { items: all.slice(from, end), ...(end < all.length ? { next: { next_cursor: String(end) } } : {}) }
}

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
