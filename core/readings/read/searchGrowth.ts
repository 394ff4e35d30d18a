/** Questions for what grows or shrinks: series in the order of their change over the closed days of the last month. */
import { Effect } from "effect"
import searchWords from "../../catalog/searchWords.json" with { type: "json" }
import type { SearchGrowth } from "../../wire/data/networks.ts"
import { changeOver, type DatedValue, isBroadBase } from "../change.ts"
import type { CurrentRow } from "./Current.ts"
import { closedPoints } from "./closedPoints.ts"

/** The period over which it is told how series grew. */
export const spanOfGrowth = "30d"

/** Which way a question asks. */
export type Direction = "grows" | "shrinks"

const growing: ReadonlySet<string> = new Set(searchWords.growing)
const shrinking: ReadonlySet<string> = new Set(searchWords.shrinking)
const speed: ReadonlySet<string> = new Set(searchWords.speed)

/** The words of such questions. */
export const growthWords: ReadonlyArray<string> = [...growing, ...shrinking, ...speed]

/** What a question asks for, if it asks for growth. */
export const growthAsked = (words: ReadonlyArray<string>): Direction | undefined =>
  words.some((word) => shrinking.has(word))
    ? "shrinks"
    : words.some((word) => growing.has(word))
      ? "grows"
      : undefined

/** Whether a word says no more than that. */
export const isOfGrowth = (word: string): boolean => growthWords.includes(word)

/**
 * The change of each of these series; null where there is none to rank by: fewer than two closed days, a base that is too small, or
 * values without a ratio.
 */
export const growthOf = Effect.fn("Data.growthOf")(function* (rows: ReadonlyArray<CurrentRow>) {
  // Without the days an answer is what it is, and its growth not known.
  const points = yield* Effect.catchTag(closedPoints(rows), "SqlError", () =>
    Effect.succeed(new Map<number, ReadonlyArray<DatedValue>>())
  )
  return new Map(
    rows.map((row): readonly [CurrentRow, SearchGrowth | null] => {
      const { metric, unit } = row.row
      const change = changeOver(unit, points.get(row.series) ?? [])
      if (change === undefined || change.relative === null) return [row, null]
      const { from, relative, to } = change
      return [
        row,
        isBroadBase({ metric, unit }, from.value) ? { from: from.date, to: to.date, relative } : null
      ]
    })
  )
})

/** Those that grew most first, or those that shrank most; those without a change last, in their order. */
export const inOrderOfGrowth = <A extends { readonly row: CurrentRow }>(
  all: ReadonlyArray<A>,
  direction: Direction,
  growth: ReadonlyMap<CurrentRow, SearchGrowth | null>
): ReadonlyArray<A> => {
  const sign = direction === "grows" ? -1 : 1
  const ranked = all.flatMap((one) => {
    const change = growth.get(one.row)
    return change == null ? [] : [{ one, relative: change.relative ?? 0 }]
  })
  return [
    ...ranked.toSorted((a, b) => sign * (a.relative - b.relative)).map(({ one }) => one),
    ...all.filter(({ row }) => growth.get(row) == null)
  ]
}
