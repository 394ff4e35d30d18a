/** The index of the archive. */
import { Schema } from "effect"

const says = (description: string) => ({ description })

const ArchiveColumn = Schema.Struct({
  name: Schema.String.annotate(says("Name in the file")),
  type: Schema.Literals(["boolean", "date", "double", "hash", "integer", "text", "time"]).annotate(
    says("`time`: milliseconds since 1970, UTC; `hash`: 32 bytes")
  ),
  optional: Schema.optionalKey(Schema.Literal(true).annotate(says("The column has nulls")))
}).annotate({ identifier: "ArchiveColumn", description: "A column of an archive file" })

const ArchivedFile = Schema.Struct({
  name: Schema.String.annotate(says("Path under /v1/archive/, and the subject of the log entry")),
  period: Schema.Literals(["day", "month", "year"]).annotate(says("What it holds the batches of")),
  first_day: Schema.String.annotate(says("First day whose batch is in the file, YYYY-MM-DD")),
  last_day: Schema.String.annotate(says("Last day whose batch is in the file")),
  rows: Schema.Int.annotate(says("Leaves in it, without the absence leaf of a day")),
  bytes: Schema.Int.annotate(says("Size of the file")),
  sha256: Schema.String.annotate(says("SHA-256 of the file, lower-case hex; also its ETag")),
  log_index: Schema.Int.annotate(says("Index of the log entry that commits to the file"))
}).annotate({ identifier: "ArchivedFile", description: "A sealed Parquet file" })

export const TableIndex = Schema.Struct({
  location: Schema.String.annotate(says("Address of the table, by which engines attach it")),
  version: Schema.Natural.annotate(
    says("The newest version, one for each day; `metadata/v<version>.metadata.json` names the rest")
  ),
  first_day: Schema.String.annotate(says("First day of the table, YYYY-MM-DD")),
  last_day: Schema.String.annotate(says("Last day of the table")),
  files: Schema.Array(Schema.String).annotate(
    says("Paths below the location of what a reader of this version needs; the rows are in the files of days")
  )
}).annotate({ identifier: "ArchiveTable", description: "The archive as a table of Apache Iceberg" })
export interface TableIndex extends Schema.Schema.Type<typeof TableIndex> {}

export const ArchiveIndex = Schema.Struct({
  generated_utc: Schema.String.annotate({
    format: "date-time",
    ...says("When the newest file was published, or the log last grew: ISO 8601 in UTC")
  }),
  files: Schema.Array(ArchivedFile).annotate(says("All files, the newest period first")),
  schemas: Schema.Struct({
    day: Schema.Array(ArchiveColumn).annotate(says("Columns of the file of a day, in order")),
    month: Schema.Array(ArchiveColumn).annotate(says("Of the file of a month: the same without the hashes")),
    year: Schema.Array(ArchiveColumn).annotate(says("Of the file of a year: those of a month"))
  }).annotate(says("Columns of the files by period")),
  keyless_days: Schema.Int.annotate(
    says(
      "Files of months and years whose days all are among the last this many need no key; older ones need a tier with the depth. Files of single days need no key at any age"
    )
  ),
  simulated: Schema.optionalKey(Schema.Literal(true).annotate(says("Present exactly in the demo"))),
  catalogs: Schema.Struct({
    iceberg: Schema.String.annotate(
      says(
        "Folder of a table of Apache Iceberg over the files of days; `metadata/version-hint.text` in it names the newest version"
      )
    ),
    duckdb: Schema.String.annotate(says("A script that makes views of DuckDB over all files")),
    croissant: Schema.String.annotate(says("Croissant 1.1 (MLCommons), as JSON-LD"))
  }).annotate(says("Paths of what describes the archive to other programs"))
}).annotate({ identifier: "ArchiveIndex", description: "The files of the archive" })
export interface ArchiveIndex extends Schema.Schema.Type<typeof ArchiveIndex> {}
