/** A table of `/v1/asof`: its rows, and its faults in words of lines and columns. */
import { Effect, Result, Stream } from "effect"
import * as Csv from "effect/encoding/Csv"
import type { BadParameter } from "../../core/wire/problems/request.ts"

export interface JoinTable {
  /** The cells of each row by column, without the empty ones. */
  readonly rows: ReadonlyArray<Readonly<Record<string, string>>>
  /** Of each row, the number of the line that it begins on; the first line of the table is 1. */
  readonly lines: Uint32Array
}

/** Why a text is no table. */
export interface NotATable {
  readonly why: string
}

const recordsOf = (text: string) =>
  Effect.runSync(
    Effect.result(Stream.make(text).pipe(Stream.pipeThroughChannel(Csv.decodeString()), Stream.runCollect))
  )

const lineBreak = /\r\n|\r|\n/g

/** The records with the lines that they begin on: a quoted cell may have several lines. Empty lines are left out. */
const numbered = (records: ReadonlyArray<Csv.Row>) => {
  let line = 1
  return records.flatMap((cells) => {
    const first = line
    line += 1 + cells.reduce((breaks, cell) => breaks + (cell.match(lineBreak)?.length ?? 0), 0)
    return cells.length === 1 && cells[0] === "" ? [] : [{ cells, line: first }]
  })
}

/** What is wrong with a header. A longer one than there are columns is not looked through. */
const faultOf = (columns: ReadonlyArray<string>, columnNames: ReadonlyArray<string>): string | undefined => {
  if (columns.length > columnNames.length) {
    return `${columns.length} columns; there are ${columnNames.length}: ${columnNames.join(", ")}`
  }
  const before = new Set<string>()
  for (const name of columns) {
    if (before.has(name)) return `two columns are named ${name}`
    before.add(name)
  }
  return undefined
}

/** The rows of a CSV text (RFC 4180) under its header line, whose columns are among `columnNames`. */
export const readTable = (text: string, columnNames: ReadonlyArray<string>): JoinTable | NotATable => {
  const records = recordsOf(text)
  if (Result.isFailure(records)) {
    const { column, line, message } = records.failure
    return { why: `line ${line}${column === undefined ? "" : `, cell ${column}`}: ${message}` }
  }
  const [header, ...body] = numbered(records.success)
  const columns = header?.cells ?? []
  const wrong = faultOf(columns, columnNames)
  if (wrong !== undefined) return { why: `line ${header?.line ?? 1}: ${wrong}` }
  const uneven = body.find(({ cells }) => cells.length !== columns.length)
  if (uneven !== undefined)
    return { why: `line ${uneven.line}: ${uneven.cells.length} cells under ${columns.length} columns` }
  return {
    rows: body.map(({ cells }) =>
      Object.fromEntries(
        columns.flatMap((name, n) => {
          const cell = cells[n] ?? ""
          return cell === "" ? [] : [[name, cell] as const]
        })
      )
    ),
    lines: Uint32Array.from(body, ({ line }) => line)
  }
}

/** The message of a fault of `rows.<n>.<column>`, with the line and the column where the rows were a table. */
export const messageIn = (
  lines: Uint32Array | undefined,
  { field = "", message }: Pick<BadParameter, "field" | "message">
): string => {
  const [, row, column] = /^rows\.(\d+)\.(.+)$/s.exec(field) ?? []
  const line = lines?.[Number(row)]
  return line === undefined || column === undefined
    ? message
    : `line ${line}, column ${column}: ${message.replace(field, () => column)}`
}
