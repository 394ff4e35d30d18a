/** When the values of a reading were true, and which times can be none. */
import { Decimal } from "./Decimal.ts"
import { minute } from "./time.ts"
import { type Numeric, Unreadable } from "./Unreadable.ts"
import { isoTime } from "./Value.ts"

/** How far `as_of` may lie after the exchange, for clocks that differ. */
export const clockSkew = 5 * minute

/** The start of 2009: no network is older. Earlier is what an unset clock says, and seconds that were taken for milliseconds. */
export const firstMoment = Date.UTC(2009, 0)

/** The end of the year 9999: later times have no ISO 8601 form of four digits. */
const lastMoment = 253_402_300_799_999

/** The time that a plugin took from an answer; present also where it found none. */
export interface Stated {
  /** When the values were true, epoch milliseconds. Without this member: the answer's `date`. */
  readonly as_of?: Numeric | null | undefined
  /** Where the time is in the answer, for the refusal of one in which it is not. */
  readonly dated_by?: string
}

/** When an answer came, and when it was true as far as its headers tell. */
interface Dated {
  readonly at: number
  readonly date: number
}

/**
 * When the values of an answer were true, in epoch milliseconds, or why nobody can tell. Where the plugin takes a time from the answer
 * and finds none, the headers tell it only if the manifest says that they may.
 */
export const timeOf = (stated: Stated, { at, date }: Dated, orHeaders = false): number | Unreadable => {
  const { as_of, dated_by = "the time that the plugin reads" } = stated
  if (as_of instanceof Unreadable) return new Unreadable(`as_of: ${as_of.reason}`)
  if (as_of instanceof Decimal) return new Unreadable(`as_of ${as_of} is not a valid time`)
  if (as_of === undefined || as_of === null) {
    return "as_of" in stated && !orHeaders
      ? new Unreadable(`as_of: ${dated_by} is not in the answer`)
      : checked(date, at)
  }
  return as_of > 0 && as_of < firstMoment
    ? new Unreadable(`as_of ${isoTime(as_of)} is before 2009${slip(as_of, at)}`)
    : checked(as_of, at)
}

const checked = (time: number, at: number): number | Unreadable => {
  if (!(time > 0 && time <= lastMoment)) return new Unreadable(`as_of ${time} is not a valid time`)
  return time > at + clockSkew ? new Unreadable(`as_of ${isoTime(time)} is after the exchange`) : time
}

/** What a time before 2009 may be, where it is a likely one in seconds. */
const slip = (time: number, at: number): string =>
  time * 1000 >= firstMoment && time * 1000 <= at + clockSkew ? ": seconds taken for milliseconds" : ""
