/** The rows of a text table: what `csv.ts` and `columns.ts` share. */
import { Effect } from "effect"
import { type Answer, implausible } from "../Upstream.ts"

/** The cells of a line, or why it has none. */
export type Line = ReadonlyArray<string> | string

/** A table as it was read: its header, its lines, and how many lines of the text stand before the first of them. */
export interface Table {
  readonly names: ReadonlyArray<string>
  readonly lines: ReadonlyArray<Line>
  readonly above: number
}

/** Columns that rows have, and those that may be missing: their cells are then empty. */
export interface Columns<Column extends string, Optional extends string> {
  readonly columns: ReadonlyArray<Column>
  readonly optional: ReadonlyArray<Optional>
}

/**
 * The answer with its rows as members by column. A line without cells, or with more or fewer than the header, is left out, as long as
 * no more than one in a hundred is. A broken last line without a line break is where a text was cut. That, more broken lines, a header
 * without one of the columns, and a table without a row fail as a changed answer, which names the line.
 */
export const rowsOf = Effect.fnUntraced(function* <Column extends string, Optional extends string>(
  answer: Answer<string>,
  { above, lines, names }: Table,
  { columns, optional }: Columns<Column, Optional>
) {
  if (columns.some((column) => !names.includes(column))) {
    return yield* implausible(answer, `line ${above}`, `no header with the columns ${columns.join(", ")}`)
  }
  const rows: Array<Readonly<Record<Column | Optional, string>>> = []
  const broken: Array<readonly [line: string, detail: string]> = []
  const last = lines.at(-1)
  const isCut = !/[\r\n]$/.test(answer.body) && (typeof last === "string" || last?.length !== names.length)
  for (const [index, cells] of lines.entries()) {
    if (typeof cells === "string" || cells.length !== names.length) {
      const detail = typeof cells === "string" ? cells : `not ${names.length} cells`
      broken.push([`line ${index + above + 1}`, detail])
      continue
    }
    const row = [...columns, ...optional].map((column) => [column, cells[names.indexOf(column)] ?? ""])
    rows.push(Object.fromEntries(row) as Readonly<Record<Column | Optional, string>>)
  }
  const [first] = broken
  if (first !== undefined && (isCut || broken.length * 100 > lines.length))
    return yield* implausible(answer, ...first)
  if (rows.length === 0) return yield* implausible(answer, "", "a list without a row")
  return { ...answer, body: rows }
})
