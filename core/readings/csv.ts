/** Rows as CSV (RFC 4180): a header line, and nothing that a spreadsheet would run. */
import { type Effect, Stream } from "effect"
import * as Csv from "effect/encoding/Csv"

export type Row = Readonly<Record<string, unknown>>

/** Members that came later than the columns of every list: they stand behind all others, which keep their places. */
const later: ReadonlyArray<string> = [
  "source_method",
  "by_definition",
  "by_definition_reason",
  "reviewed",
  "rung"
]

/** The members of some schemas, in order and each once. */
export const columnsOf = (...schemas: ReadonlyArray<{ readonly fields: object }>): ReadonlyArray<string> => {
  const names = [...new Set(schemas.flatMap(({ fields }) => Object.keys(fields)))]
  return [...names.filter((name) => !later.includes(name)), ...later.filter((name) => names.includes(name))]
}

/** Text that a spreadsheet would run as a formula; plain numbers are safe. */
const runs = /^[=+\-@\t\r\n]/
const plain = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

/** A cell: empty for null or undefined, 0 for 0, JSON for nested values. */
const cell = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  const text = typeof value === "string" ? value : JSON.stringify(value)
  return runs.test(text) && !plain.test(text) ? `'${text}` : text
}

/** A header line, and one record per row. */
export const csv =
  (columns: ReadonlyArray<string>) =>
  <E, R>(rows: Stream.Stream<Row, E, R>): Stream.Stream<string, E, R> =>
    records(columns)(Stream.map(rows, (row) => columns.map((column) => row[column])))

/** The same as one text, of rows whose cells are in the order of the columns. */
export const csvText = (
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<unknown>>
): Effect.Effect<string> => Stream.mkString(records(columns)(Stream.fromIterable(rows)))

const records =
  (columns: ReadonlyArray<string>) =>
  <E, R>(rows: Stream.Stream<ReadonlyArray<unknown>, E, R>): Stream.Stream<string, E, R> =>
    Stream.make(columns).pipe(
      Stream.concat(Stream.map(rows, (cells) => cells.map(cell))),
      Stream.pipeThroughChannel(Csv.encodeString())
    )
