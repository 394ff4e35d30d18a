/** What is judged: the closed days of a series, and what its manifest says of them. */
import { day as dayMs } from "../../plugin/time.ts"
import type { DatedValue } from "../change.ts"
import { constants } from "./constants.ts"

/** A series as the rules see it. */
export interface JudgedSeries {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly unit: string
  /** The category of the network, or the sector of the place; undefined where there is none. */
  readonly category: string | undefined
  /** Its manifest says that it only grows. */
  readonly neverFalls: boolean
  /** Its manifest says that it may be 0 from one reading to the next. */
  readonly mayBeZero: boolean
  /** Its manifest says that it may rise by any factor. */
  readonly mayJump: boolean
  /** Accepted values of closed days, oldest first, at most one for a day. */
  readonly days: ReadonlyArray<DatedValue>
}

/** Days since 1970. */
const numberOf = (date: string): number => Date.parse(date) / dayMs

/** Days before a judged one that its judgement may look at: its window, and that of a standstill which began on its first day. */
export const reach = 2 * constants.window

/**
 * The days that a judgement of the last one looks at: it and up to `constants.window` days before it, back to where more than
 * `constants.longestGap` days are missing between two.
 */
export const windowOf = (days: ReadonlyArray<DatedValue>): ReadonlyArray<DatedValue> => {
  const last = days.at(-1)
  if (last === undefined) return []
  const end = numberOf(last.date)
  let from = days.length - 1
  while (from > 0) {
    const [earlier, later] = [days[from - 1], days[from]]
    if (earlier === undefined || later === undefined) break
    const number = numberOf(earlier.date)
    if (end - number > constants.window || numberOf(later.date) - number > constants.longestGap) break
    from--
  }
  return days.slice(from)
}
