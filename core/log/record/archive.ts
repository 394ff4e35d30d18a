/** The archive's index, and its files by name. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { columnsOf } from "../../proof/archive.ts"
import { keyless } from "../../readings/read/Access.ts"
import { Versions } from "../../readings/read/Versions.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { ArchiveIndex } from "../../wire/log/archive.ts"
import { NotFound } from "../../wire/problems/request.ts"
import { catalogs } from "../archive/catalogs.ts"
import { Log, LogKey } from "../Log.ts"

const Published = Schema.Struct({
  name: Schema.String,
  period: Schema.Literals(["day", "month", "year"]),
  first_day: Schema.String,
  last_day: Schema.String,
  rows: Schema.Int,
  bytes: Schema.Int,
  sha256: Schema.String,
  log_index: Schema.Int
})
const publishedRows = rowsOf(Published.fields)

const published = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { size } = yield* (yield* Log).served
  return yield* sql`
    select name, period, first_day::text, last_day::text, rows, bytes::float8, sha256, log_index
    from archive_file where log_index < ${size}::int
    order by last_day desc, array_position(array['year', 'month', 'day'], period)`.pipe(publishedRows)
})

export const archiveIndex = Effect.gen(function* () {
  const { simulated } = yield* LogKey
  const index: ArchiveIndex = {
    generated_utc: isoTime(yield* (yield* Versions).changedAt(["log"])),
    files: yield* published,
    schemas: { day: columnsOf("day"), month: columnsOf("month"), year: columnsOf("year") },
    keyless_days: keyless.historyDays ?? 0,
    ...(simulated ? { simulated: true } : {}),
    catalogs
  }
  return index
}).pipe(Effect.withSpan("Log.archiveIndex"))

/** Lines as `sha256sum` writes and checks them, by name. */
export const archiveSums = Effect.map(published, (files) =>
  files
    .map(({ name, sha256 }) => ({ name, line: `${sha256}  ${name}\n` }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ line }) => line)
    .join("")
).pipe(Effect.withSpan("Log.archiveSums"))

/** A published file by its name. */
export const archivedFile = Effect.fn("Log.archivedFile")(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const { size } = yield* (yield* Log).served
  // Checked first: a text with a NUL is no text to the database.
  const [file] = /^(daily\/\d{4}\/\d{2}\/\d{2}|monthly\/\d{4}\/\d{2}|yearly\/\d{4})\.parquet$/.test(name)
    ? yield* sql`
        select name, period, first_day::text, last_day::text, rows, bytes::float8, sha256, log_index
        from archive_file where name = ${name} and log_index < ${size}::int`.pipe(publishedRows)
    : []
  return (
    file ??
    (yield* new NotFound({
      message: `The archive has no file ${JSON.stringify(name.slice(0, 60))}. /v1/archive/ lists its files; the file of a day is published soon after 08:00 UTC of the next day.`
    }))
  )
})
