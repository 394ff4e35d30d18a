/** Lists with one row per UTC day. */
import { day } from "../time.ts"
import type { Moment } from "../Unreadable.ts"
import { endOfDay } from "../Value.ts"

/**
 * The newest row whose day is over at `now`, with the last millisecond of that day as its time, and the row of the day
 * before it where that day is listed. Rows may come in any order; of two rows of one day the first counts. A row whose
 * date, in epoch milliseconds, is missing or invalid is left out.
 */
export const lastCompleteDay = <Row>(
  rows: ReadonlyArray<Row>,
  dateOf: (row: Row) => Moment | null | undefined,
  now: number
): { readonly row: Row; readonly before: Row | undefined; readonly as_of: number } | undefined => {
  const byEnd = new Map<number, Row>()
  for (const row of rows) {
    const date = dateOf(row)
    if (typeof date !== "number") continue
    const end = endOfDay(date)
    if (end < now && !byEnd.has(end)) byEnd.set(end, row)
  }
  const as_of = Math.max(...byEnd.keys())
  const row = byEnd.get(as_of)
  return row === undefined ? undefined : { row, before: byEnd.get(as_of - day), as_of }
}
