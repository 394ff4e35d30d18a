/** The days that are in the table: each closed day's file, in the order in which the log got them. */
import { Effect, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"
import { ArchiveFiles, keyOf } from "../archive/ArchiveFiles.ts"
import { requireIntact } from "../archive/requireIntact.ts"
import { Log } from "../Log.ts"
import { Bounds, boundsOf } from "./bounds.ts"
import { type SchemaId, withoutRights, withRights } from "./schema.ts"

/** Footers of one round: an archive of years gets its bounds over some rounds. */
const mostAtOnce = 40

const fileRows = rowsOf({ name: Schema.String, sha256: Schema.String, bytes: Schema.Int })
const dayRows = rowsOf({
  day: Schema.String,
  name: Schema.String,
  rows: Schema.Int,
  bytes: Schema.Int,
  sha256: Schema.String,
  log_index: Schema.Int,
  closed_at: Schema.Date,
  has_rights: Schema.Boolean,
  bounds: Schema.NullOr(Bounds)
})

/** A snapshot of the table: a day and its file. */
export interface TableDay {
  /** 1 and up, in the order of the log. */
  readonly sequence: number
  readonly day: string
  /** The file's name under `/v1/archive/`, its rows, its bytes, its SHA-256 and its place in the log. */
  readonly name: string
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
  readonly log_index: number
  /** Epoch milliseconds: from when on everything up to here was known. */
  readonly known_at: number
  readonly schema: SchemaId
  readonly bounds: Bounds
}

/** The days up to the first whose bounds nobody has read yet, so that what is said of a snapshot never changes. */
export const tableDays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { size } = yield* (yield* Log).served
  const files = yield* sql`
    select f.first_day::text as day, f.name, f.rows, f.bytes::float8, f.sha256, f.log_index, b.closed_at,
      f.rights is not null as has_rights, f.bounds
    from archive_file f join batch b on b.day = f.first_day
    where f.period = 'day' and f.log_index < ${size}::int order by f.log_index`.pipe(dayRows)
  const days: Array<TableDay> = []
  for (const { bounds, closed_at, has_rights, ...file } of files) {
    if (bounds === null) break
    const last = days.at(-1)
    days.push({
      ...file,
      sequence: days.length + 1,
      known_at: Math.max(last?.known_at ?? 0, closed_at.getTime()),
      schema: has_rights || last?.schema === withRights ? withRights : withoutRights,
      bounds
    })
  }
  return days
}).pipe(Effect.withSpan("Log.tableDays"))

/**
 * Reads the bounds of files published before bounds were stored, the oldest log entry first. It stops at a missing or damaged file
 * until the archive has restored it.
 */
export const readBounds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const files = yield* ArchiveFiles
  const due = yield* sql`
    select name, sha256, bytes::float8 from archive_file where period = 'day' and bounds is null
    order by log_index limit ${mostAtOnce}`.pipe(fileRows)
  for (const file of due) {
    yield* requireIntact(files, file)
    const read = (from: number, to: number) =>
      Stream.runCollect(files.read(keyOf(file.name, file.sha256), from, to)).pipe(
        Effect.map((parts) => Buffer.concat(Array.from(parts)))
      )
    const bounds = yield* boundsOf({ bytes: file.bytes, read })
    yield* sql`update archive_file set bounds = ${JSON.stringify(bounds)}::jsonb where name = ${file.name}`
  }
}).pipe(
  Effect.catchTag("ArchiveUnavailable", () => Effect.void),
  Effect.withSpan("Archive.readBounds")
)
