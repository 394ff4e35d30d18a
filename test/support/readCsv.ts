/** Tables as Postgres' own CSV reader reads them. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export type Json = Readonly<Record<string, unknown>>

/** The records of a file: empty is null. Postgres refuses a header that is not these columns. */
export const readCsv = Effect.fnUntraced(function* (body: Buffer) {
  const sql = yield* SqlClient.SqlClient
  const columns = (body.toString("utf8").split("\r\n")[0] ?? "").split(",")
  const folder = mkdtempSync(join(tmpdir(), "plumbline-csv-"))
  // Postgres reads the file as a user of its own.
  chmodSync(folder, 0o755)
  const file = join(folder, "file.csv")
  writeFileSync(file, body, { mode: 0o644 })
  const names = columns.map((column) => `"${column}"`)
  yield* sql.unsafe(`drop table if exists csv_file`)
  yield* sql.unsafe(
    `create table csv_file ("in order" serial, ${names.map((name) => `${name} text`).join(", ")})`
  )
  yield* sql.unsafe(`copy csv_file (${names.join(", ")}) from '${file}' with (format csv, header match)`)
  const rows = yield* sql.unsafe<Json>(`select * from csv_file order by "in order"`)
  rmSync(folder, { recursive: true })
  return { columns, rows: rows.map(({ "in order": _, ...row }) => row) }
})

/** How a value of the API stands in a cell. */
export const inCell = (value: unknown): string | null =>
  value === null || value === undefined
    ? null
    : typeof value === "string"
      ? /^[=+\-@\t\r\n]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value)
        ? `'${value}`
        : value
      : JSON.stringify(value)

/** Texts that a spreadsheet would run, or a reader of CSV would break. */
export const hostile = [
  "=1+1",
  "+1",
  "-cmd",
  "@SUM(A1)",
  "\tx",
  "\rx",
  "\nx",
  'a,"b"\r\nc',
  "žlutý 🐎",
  "'q",
  " =x"
]
