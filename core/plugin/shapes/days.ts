/** Rows that stand for UTC days. */
import { parseTime } from "../Value.ts"

const day = 86_400_000

/**
 * The newest row whose day is over at `now`, with the end of that day as its time; rows may come in any order. A row
 * whose date is no time is left out.
 */
export const lastCompleteDay = <Row>(
  rows: ReadonlyArray<Row>,
  dateOf: (row: Row) => string | null | undefined,
  now: number
): { readonly row: Row; readonly as_of: number } | undefined => {
  let newest: { readonly row: Row; readonly as_of: number } | undefined
  for (const row of rows) {
    const start = parseTime(dateOf(row) ?? "")
    if (start === undefined) continue
    const as_of = Math.floor(start / day) * day + day
    if (as_of <= now && (newest === undefined || as_of > newest.as_of)) newest = { row, as_of }
  }
  return newest
}
