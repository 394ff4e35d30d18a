/** The archive: sealed Parquet files of everything that was published. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ArchiveIndex, TableIndex } from "../../core/wire/log/archive.ts"
import { HistoryTooDeep, ScopeMissing } from "../../core/wire/problems/accounts.ts"
import { NotFound, RangeNotSatisfiable } from "../../core/wire/problems/request.ts"
import { describe } from "./about.ts"
import { always, DependsOn, NotFoundDependsOn } from "./Contract.ts"

const File = Schema.Uint8Array.pipe(
  HttpApiSchema.asUint8Array({ contentType: "application/vnd.apache.parquet" })
)
const text = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

const part = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example] })
const year = part("UTC year", "2026")
const month = part("UTC month, two digits", "09")

const file = (summary: string, access: string) =>
  describe(
    summary,
    "Apache Parquet. Never changes; its ETag is its SHA-256. Takes `Range` with one range (206 with a part, 416 if the file ends before it) and `If-Range`. A part is not signed: the " +
      "signed index and the log have the hash of the whole file. " +
      access
  )

const open = "The file of a single day needs no key, whatever its age."
const joined =
  "Without a key, files within the keyless depth; older ones need a tier with the depth. The files of their single days are open."

const error = [NotFound, HistoryTooDeep, ScopeMissing, RangeNotSatisfiable] as const

export const ArchiveFamily = HttpApiGroup.make("archive")
  .add(
    HttpApiEndpoint.get("archive", "/v1/archive/", { success: ArchiveIndex }).annotateMerge(
      describe(
        "Files of the archive",
        "Every file with its days, size, SHA-256 and log entry, and the columns of the files."
      )
    ),
    HttpApiEndpoint.get("archiveSums", "/v1/archive/SHA256SUMS", {
      success: text("text/plain; charset=utf-8")
    }).annotateMerge(
      describe("SHA-256 of all files", "Lines that `sha256sum --check` reads, in a folder with the files.")
    ),
    HttpApiEndpoint.get("archiveDuckdb", "/v1/archive/duckdb.sql", {
      success: text("application/sql; charset=utf-8")
    }).annotateMerge(
      describe(
        "Views of DuckDB",
        "A script for `duckdb`: `leaves` (every published leaf, from the files of single days), `days` (the value of each day " +
          "as it is served, of the source that answers) and `compact()` (the leaves from the fewest files). Runs whole without a key."
      )
    ),
    HttpApiEndpoint.get("archiveCroissant", "/v1/archive/croissant.json", {
      success: text("application/ld+json"),
      error: NotFound
    }).annotateMerge(
      describe(
        "Days as Croissant 1.1",
        "The files of days and their columns, for programs that train models."
      )
    )
  )
  .annotateEndpoints(DependsOn, always("log"))
  .add(
    HttpApiEndpoint.get("archiveTableIndex", "/v1/archive/iceberg", {
      success: TableIndex,
      error: NotFound
    }).annotateMerge(
      describe(
        "Folder of the table",
        "Which files the table of Apache Iceberg consists of now, and where to attach it."
      )
    ),
    HttpApiEndpoint.get("archiveTable", "/v1/archive/iceberg/metadata/:file", {
      params: { file: part("name of a file of the table", "version-hint.text") },
      success: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array()),
      error: NotFound
    })
      .annotate(DependsOn, ({ params: { file } }) => (file === "version-hint.text" ? undefined : []))
      .annotate(NotFoundDependsOn, always("log"))
      .annotateMerge(
        describe(
          "Days as a table of Apache Iceberg",
          "At `/v1/archive/iceberg`: a snapshot for each day, whose id is the day (20260903). `version-hint.text` has the newest version, N; " +
            "`vN.metadata.json` names the rest."
        )
      ),
    HttpApiEndpoint.get("archivedDay", "/v1/archive/daily/:year/:month/:file", {
      params: { year, month, file: part("UTC day, two digits, and `.parquet`", "03.parquet") },
      success: File,
      // Days refuse nobody by tier; the refusals of the released description stay in it.
      error
    }).annotateMerge(file("A day's leaves", open)),
    HttpApiEndpoint.get("archivedMonth", "/v1/archive/monthly/:year/:file", {
      params: { year, file: part("UTC month, two digits, and `.parquet`", "09.parquet") },
      success: File,
      error
    }).annotateMerge(file("A month's leaves, sorted by metric", joined)),
    HttpApiEndpoint.get("archivedYear", "/v1/archive/yearly/:file", {
      params: { file: part("UTC year and `.parquet`", "2026.parquet") },
      success: File,
      error
    }).annotateMerge(file("A year's leaves, sorted by metric", joined))
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Archive",
      description: "Everything that was published, as sealed Parquet files whose hashes are in the log."
    })
  )
