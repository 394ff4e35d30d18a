/** Every file that the service serves to everybody of a log of some size, under its path, and what it consists of. */
import { Effect, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { archivePath, tablePath } from "../../../proof/archive.ts"
import { utf8 } from "../../../proof/bytes.ts"
import { withLines } from "../../../proof/cosignature.ts"
import { keysPath, logPath } from "../../../proof/fetched.ts"
import { hourOf } from "../../../proof/runs.ts"
import { entriesPath, tilePath, tilesOf } from "../../../proof/tiles.ts"
import type { Blobs, BlobsUnavailable } from "../../../readings/ingest/Blobs.ts"
import type { Versions } from "../../../readings/read/Versions.ts"
import { rowsOf } from "../../../sql/rows.ts"
import type { NotFound } from "../../../wire/problems/request.ts"
import type { Unavailable } from "../../../wire/problems/service.ts"
import { ArchiveFiles, type ArchiveUnavailable, keyOf } from "../../archive/ArchiveFiles.ts"
import { requireIntact, type Stored } from "../../archive/requireIntact.ts"
import { tableDays } from "../../iceberg/days.ts"
import { newestFiles, type TableFile } from "../../iceberg/files.ts"
import type { Log, LogKey } from "../../Log.ts"
import { PublicAddress } from "../attest.ts"
import { cosignatureLines } from "../cosignatures.ts"
import * as Files from "../files.ts"
import { publishedKeys } from "../keys.ts"

export type FileError = ArchiveUnavailable | BlobsUnavailable | NotFound | SqlError | Unavailable
export type FileSources = ArchiveFiles | Blobs | Log | LogKey | SqlClient.SqlClient | Versions

export interface PublicFile {
  /** From the top of the site, without a slash in front. */
  readonly path: string
  readonly contentType: string
  /** Fails with `NotFound` where the service no longer has the file. */
  readonly parts: Stream.Stream<Uint8Array, FileError, FileSources>
}

/** The files of a log, in the order in which they are to be written: a reader follows none to one that is missing. */
interface PublicFiles {
  /** Those that never change. */
  readonly fixed: ReadonlyArray<PublicFile>
  /** Those that may; the newest checkpoint is the last. */
  readonly changing: ReadonlyArray<PublicFile>
}

/** Timestamps of this many newest checkpoints may still become better. */
const openStamps = 100

const dayRows = rowsOf({ day: Schema.String })
const documentRows = rowsOf({ sha256: Schema.String, media_type: Schema.String })
const hourRows = rowsOf({ hour: Schema.Date })
const fileRows = rowsOf({ name: Schema.String, sha256: Schema.String, bytes: Schema.Int })
const sizeRows = rowsOf({ size: Schema.Int })

const octets = "application/octet-stream"
const json = "application/json"
const lines = "application/x-ndjson"
const plain = "text/plain; charset=utf-8"

const text = <E, R>(content: Effect.Effect<string, E, R>) => Stream.map(Stream.fromEffect(content), utf8)

const inLog = (
  path: string,
  contentType: string,
  parts: Stream.Stream<Uint8Array, FileError, FileSources>
): PublicFile => ({ path: `${logPath.slice(1)}/${path}`, contentType, parts })

const ofDay = (day: string): ReadonlyArray<PublicFile> => [
  inLog(`batches/${day}/leaves`, lines, Stream.map(Stream.unwrap(Files.leaves(day)), utf8)),
  inLog(`batches/${day}/absent`, json, text(Files.absent(day)))
]

const archived = (file: Stored): PublicFile => ({
  path: `${archivePath.slice(1)}/${file.name}`,
  contentType: "application/vnd.apache.parquet",
  parts: Stream.unwrap(
    Effect.gen(function* () {
      const files = yield* ArchiveFiles
      yield* requireIntact(files, file)
      return files.read(keyOf(file.name, file.sha256), 0, file.bytes)
    })
  )
})

const ofTable = ({ content, contentType, name }: TableFile): PublicFile => ({
  path: `${tablePath.slice(1)}/metadata/${name}`,
  contentType,
  parts: Stream.sync(() => {
    const bytes = content()
    return typeof bytes === "string" ? utf8(bytes) : bytes
  })
})

const stampOf = (size: number): PublicFile =>
  inLog(
    `checkpoints/${size}.ots`,
    "application/vnd.opentimestamps.ots",
    Stream.map(Stream.fromEffect(Files.timestamp(`${size}.ots`)), ({ proof }) => proof)
  )

/**
 * Those of the log as of its head of `size`, which must not be above the newest one. The archive's table names its files under
 * `PublicAddress`.
 */
export const publicFiles = Effect.fn("Log.publicFiles")(function* (size: number) {
  const sql = yield* SqlClient.SqlClient
  const days = yield* sql`
    select day::text as day from batch where closed_at is not null and log_index < ${size} order by day`.pipe(
    dayRows
  )
  // Some are named by a document of the log alone, such as the full edition of a brief.
  const documents = yield* sql`
    select sha256, media_type from document
    where recorded_at <= (select recorded_at from log_entry where place = ${size - 1}) order by recorded_at, sha256`.pipe(
    documentRows
  )
  const hours = yield* sql`select hour from runs_hour where log_index < ${size} order by hour`.pipe(hourRows)
  const compared = yield* sql`
    select day::text as day from agreement_day where log_index < ${size} order by day`.pipe(dayRows)
  const archive = yield* sql`
    select name, sha256, bytes::float8 as bytes from archive_file where period = 'day' and log_index < ${size}
    order by name`.pipe(fileRows)
  const table = newestFiles(
    yield* PublicAddress,
    (yield* tableDays).filter(({ log_index }) => log_index < size)
  )
  const checkpoints = yield* sql`select size from checkpoint where size <= ${size} order by size`.pipe(
    sizeRows
  )
  const stamps = yield* sql`
    select distinct size from anchor where size <= ${size} and state <> 'lost' order by size`.pipe(sizeRows)
  const tiles = tilesOf(size).flatMap((tile) => {
    const path = tilePath(tile)
    const file = inLog(path, octets, Stream.fromEffect(Files.tile(path.slice("tile/".length))))
    if (tile.level > 0) return [file]
    const entries = entriesPath(tile.index, tile.width)
    return [inLog(entries, octets, Stream.fromEffect(Files.tile(entries.slice("tile/".length)))), file]
  })
  return {
    fixed: [
      ...days.flatMap(({ day }) => ofDay(day)),
      ...hours.map(({ hour }) => {
        const name = hourOf(hour.getTime())
        return inLog(`runs/${name}/leaves`, lines, text(Files.runLeaves(name)))
      }),
      ...compared.map(({ day }) =>
        inLog(`agreements/${day}/leaves`, lines, text(Files.agreementLeaves(day)))
      ),
      ...documents.map(({ media_type, sha256 }) =>
        inLog(`documents/${sha256}`, media_type, text(Effect.map(Files.document(sha256), ({ body }) => body)))
      ),
      ...archive.map(archived),
      ...(table?.fixed ?? []).map(ofTable),
      ...tiles,
      ...checkpoints.map(({ size }) =>
        inLog(`checkpoints/${size}`, plain, text(Files.checkpointAt(String(size))))
      ),
      ...stamps.slice(0, -openStamps).map(({ size }) => stampOf(size))
    ],
    changing: [
      ...stamps.slice(-openStamps).map(({ size }) => stampOf(size)),
      {
        path: `${archivePath.slice(1)}/SHA256SUMS`,
        contentType: plain,
        parts: Stream.make(utf8(archive.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join("")))
      },
      ...(table === undefined ? [] : [ofTable(table.hint)]),
      {
        path: keysPath.slice(1),
        contentType: json,
        parts: text(Effect.map(publishedKeys, (keys) => JSON.stringify(keys)))
      },
      inLog(
        "checkpoint",
        plain,
        text(
          Effect.gen(function* () {
            return withLines(yield* Files.checkpointAt(String(size)), yield* cosignatureLines(size))
          })
        )
      )
    ]
  } satisfies PublicFiles
})
