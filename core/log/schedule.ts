/** When a day is closed. */

const dayLength = 86_400_000

/** Delay of the close after the day's end. */
const closing = 8 * 3_600_000

/** When the close of a day (`YYYY-MM-DD`) is due, in epoch milliseconds: its cut-off. */
export const cutOffOf = (day: string): number => Date.parse(day) + dayLength + closing

/** A close more than this late is marked `late`. */
export const grace = 3_600_000

/** True if the day should have been closed by now. */
export const isOverdue = (day: string, now: number): boolean => cutOffOf(day) + grace < now
