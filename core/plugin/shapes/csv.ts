/** CSV answers (RFC 4180) with a header line, read by column name. */
import { Effect, Stream } from "effect"
import * as Csv from "effect/encoding/Csv"
import { type Numeric, unexpected } from "../Unreadable.ts"
import { implausible, type RequestOrUrl, text } from "../Upstream.ts"
import { tally } from "./fields.ts"

/** What may be other than usual in a CSV answer. */
export interface Form<Optional extends string> {
  /** Columns that may be missing: their cells are empty. */
  readonly optional?: ReadonlyArray<Optional>
  /** What separates the cells. Default: a comma. */
  readonly delimiter?: string
}

/**
 * The rows of an answer with their trimmed cells. A header without one of `columns`, a line of another length, and an
 * answer without a row fail as a changed answer, which names the line.
 */
export const csv = Effect.fnUntraced(function* <
  const Column extends string,
  const Optional extends string = never
>(target: RequestOrUrl, columns: ReadonlyArray<Column>, form: Form<Optional> = {}) {
  const { delimiter = ",", optional = [] } = form
  const answer = yield* text(target)
  const records = yield* Stream.make(answer.body).pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ delimiter, ignoreEmptyLines: true })),
    Stream.runCollect,
    Effect.mapError((error) => implausible(answer, `line ${error.line}`, error.message))
  )
  const [names = [], ...lines] = records.map((cells) => cells.map((cell) => cell.trim()))
  if (columns.some((column) => !names.includes(column))) {
    return yield* implausible(answer, "line 1", `no header with the columns ${columns.join(", ")}`)
  }
  const rows: Array<Readonly<Record<Column | Optional, string>>> = []
  for (const [index, cells] of lines.entries()) {
    if (cells.length !== names.length) {
      return yield* implausible(answer, `line ${index + 2}`, `not ${names.length} cells`)
    }
    const row = [...columns, ...optional].map((column) => [column, cells[names.indexOf(column)] ?? ""])
    rows.push(Object.fromEntries(row) as Readonly<Record<Column | Optional, string>>)
  }
  if (rows.length === 0) return yield* implausible(answer, "", "a list without a row")
  return { ...answer, body: rows }
})

/** A count written in a cell; undefined for an empty cell. */
export const countIn = (cell: string): Numeric | undefined =>
  cell === "" ? undefined : /^\d+$/.test(cell) ? tally(cell) : unexpected(cell, "a count")
