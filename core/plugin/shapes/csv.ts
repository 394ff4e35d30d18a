/** CSV answers (RFC 4180) with a header line, read by column name. */
import { Effect, Stream } from "effect"
import * as Csv from "effect/encoding/Csv"
import { type Numeric, unexpected } from "../Unreadable.ts"
import { implausible, type RequestOrUrl, text } from "../Upstream.ts"
import { tally } from "./fields.ts"
import { type Line, rowsOf } from "./table.ts"

/** What may be other than usual in a CSV answer. */
export interface Form<Optional extends string> {
  /** Columns that may be missing: their cells are empty. */
  readonly optional?: ReadonlyArray<Optional>
  /** What separates the cells. Default: a comma. */
  readonly delimiter?: string
}

/** The rows of an answer with their trimmed cells, as `rowsOf` of table.ts gives them. */
export const csv = Effect.fnUntraced(function* <
  const Column extends string,
  const Optional extends string = never
>(target: RequestOrUrl, columns: ReadonlyArray<Column>, form: Form<Optional> = {}) {
  const { delimiter = ",", optional = [] } = form
  const answer = yield* text(target)
  const [names = [], ...lines] = (yield* recordsIn(answer.body, delimiter)).map(
    (record): Line => (typeof record === "string" ? record : record.map((cell) => cell.trim()))
  )
  if (typeof names === "string") return yield* implausible(answer, "line 1", names)
  return yield* rowsOf(answer, { names, lines, above: 1 }, { columns, optional })
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
