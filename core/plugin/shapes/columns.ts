/** Text tables without separators: cells between blanks under a header, or at fixed places of a line. */
import { Effect } from "effect"
import { implausible, type RequestOrUrl, text } from "../Upstream.ts"
import { rowsOf } from "./table.ts"

/** What may be other than usual in a table of blanks. */
export interface Spacing<Optional extends string> {
  /** Columns that may be missing: their cells are empty. */
  readonly optional?: ReadonlyArray<Optional>
  /** What stands in a cell of which nothing is known, such as `MM`: the cell is empty. */
  readonly absent?: string
}

/**
 * The rows of a table whose first line is its header, and whose cells stand between blanks: none of them is empty or of two words. A
 * `#` before the header is dropped, and so are later lines that begin with one. What fails, and how, is as in `csv`.
 */
export const spaced = Effect.fnUntraced(function* <
  const Column extends string,
  const Optional extends string = never
>(target: RequestOrUrl, columns: ReadonlyArray<Column>, form: Spacing<Optional> = {}) {
  const { absent, optional = [] } = form
  const answer = yield* text(target)
  const all = linesOf(answer.body)
  const lines = all.slice(1).filter((line) => !line.startsWith("#"))
  const table = {
    names: wordsOf(all[0]?.replace(/^#/, "") ?? ""),
    lines: lines.map((line) => wordsOf(line).map((cell) => (cell === absent ? "" : cell))),
    above: Math.max(1, all.length - lines.length)
  }
  return yield* rowsOf(answer, table, { columns, optional })
})

/** The first and the last place of a column in its line, both counted from 1, as descriptions of formats write them. */
export type Places = readonly [first: number, last: number]

/**
 * The rows of a table whose cells stand at fixed places, trimmed; `skip` is how many lines stand above the first. Where the text ends
 * in the middle of a line, and where it has no row, the answer has changed.
 */
export const fixed = Effect.fnUntraced(function* <const Column extends string>(
  target: RequestOrUrl,
  columns: Readonly<Record<Column, Places>>,
  { skip = 0 }: { readonly skip?: number } = {}
) {
  const answer = yield* text(target)
  const lines = linesOf(answer.body).slice(skip)
  const places = Object.entries<Places>(columns)
  const start = Math.max(...places.map(([, [first]]) => first))
  if (!/[\r\n]$/.test(answer.body) && (lines.at(-1)?.length ?? 0) < start)
    return yield* implausible(answer, `line ${lines.length + skip}`, "the text ends within it")
  if (lines.length === 0) return yield* implausible(answer, "", "a list without a row")
  const rows = lines.map(
    (line) =>
      Object.fromEntries(
        places.map(([name, [first, last]]) => [name, line.slice(first - 1, last).trim()])
      ) as Readonly<Record<Column, string>>
  )
  return { ...answer, body: rows }
})

const linesOf = (body: string): ReadonlyArray<string> =>
  body.split(/\r?\n/).filter((line) => line.trim() !== "")

const wordsOf = (line: string): ReadonlyArray<string> => line.trim().split(/\s+/)
