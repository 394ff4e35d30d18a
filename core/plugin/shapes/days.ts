/** Rows that stand for UTC days. */
const day = 86_400_000

/**
 * The newest row whose day is over at `now`, with the end of that day as its time; rows may come in any order. A row
 * whose date, in epoch milliseconds, is missing or no time is left out.
 */
export const lastCompleteDay = <Row>(
  rows: ReadonlyArray<Row>,
  dateOf: (row: Row) => number | null | undefined,
  now: number
): { readonly row: Row; readonly as_of: number } | undefined => {
  let newest: { readonly row: Row; readonly as_of: number } | undefined
  for (const row of rows) {
    const as_of = Math.floor((dateOf(row) ?? Number.NaN) / day) * day + day
    if (as_of <= now && (newest === undefined || as_of > newest.as_of)) newest = { row, as_of }
  }
  return newest
}
