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
 * The rows of an answer with their trimmed cells. A line that is no CSV, or of another length than the header, is left out, as
 * long as no more than one in a hundred is. A broken last line without a line break is where a file was cut. That, more broken lines,
 * a header without one of `columns`, and an answer without a row fail as a changed answer, which names the line.
 */
export const csv = Effect.fnUntraced(function* <
  const Column extends string,
  const Optional extends string = never
>(target: RequestOrUrl, columns: ReadonlyArray<Column>, form: Form<Optional> = {}) {
  const { delimiter = ",", optional = [] } = form
  const answer = yield* text(target)
  const [names = [], ...lines] = (yield* recordsIn(answer.body, delimiter)).map((record) =>
    typeof record === "string" ? record : record.map((cell) => cell.trim())
  )
  if (typeof names === "string") return yield* implausible(answer, "line 1", names)
  if (columns.some((column) => !names.includes(column))) {
    return yield* implausible(answer, "line 1", `no header with the columns ${columns.join(", ")}`)
  }
  const rows: Array<Readonly<Record<Column | Optional, string>>> = []
  const broken: Array<readonly [line: string, detail: string]> = []
  const last = lines.at(-1)
  const isCut = !/[\r\n]$/.test(answer.body) && (typeof last === "string" || last?.length !== names.length)
  for (const [index, cells] of lines.entries()) {
    if (typeof cells === "string" || cells.length !== names.length) {
      broken.push([`line ${index + 2}`, typeof cells === "string" ? cells : `not ${names.length} cells`])
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

/** The records of a text; where it is no CSV as a whole, those of each of its lines, or what is wrong with the line. */
const recordsIn = (body: string, delimiter: string) =>
  decoded(body, delimiter).pipe(
    Effect.catch(() =>
      Effect.forEach(
        body.split(/\r?\n/).filter((line) => line !== ""),
        (line) =>
          decoded(line, delimiter).pipe(
            Effect.map(([record = []]) => record),
            Effect.catch(({ message }) => Effect.succeed(message))
          )
      )
    )
  )

const decoded = (text: string, delimiter: string) =>
  Stream.make(text).pipe(
    Stream.pipeThroughChannel(Csv.decodeString({ delimiter, ignoreEmptyLines: true })),
    Stream.runCollect
  )

/** A count written in a cell; undefined for an empty cell. */
export const countIn = (cell: string): Numeric | undefined =>
  cell === "" ? undefined : /^\d+$/.test(cell) ? tally(cell) : unexpected(cell, "a count")
