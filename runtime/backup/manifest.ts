/**
 * A backup is a folder: `backup.json` says what it holds, `<database>/<table>.jsonl.zst` are the rows, `bodies/` the bodies
 * by hash, `archive/` the files of the archive, `heads/` the remembered heads of the log and, if they were asked for, `keys/` the private files.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { Partition, Sequence } from "../database/tables.ts"
import { onDisk } from "../outside/disk.ts"

/** A backup that cannot be made, read or restored. The message says why and what to do. */
export class BackupError extends Schema.TaggedError<BackupError>()("BackupError", {
  message: Schema.String
}) {}

const Table = Schema.Struct({
  name: Schema.String,
  rows: Schema.Int,
  /** Over the rows, as the database computes it. */
  sum: Schema.String,
  /** Of the file. */
  sha256: Schema.String
})

/** What is in the folder of the tables: the database as of one moment. */
export const Dump = Schema.Struct({
  /** The number of the last migration by room. */
  levels: Schema.Record(Schema.String, Schema.Int),
  /** The formats of what is stored, by name (`database/formats.ts`); absent in backups of before there were any. */
  formats: Schema.optionalKey(Schema.Record(Schema.String, Schema.Int)),
  /** The newest signed head of the log; null if nothing was published. */
  log: Schema.NullOr(Schema.Struct({ size: Schema.Int, root: Schema.String })),
  tables: Schema.Array(Table),
  partitions: Schema.Array(Partition),
  sequences: Schema.Array(Sequence)
})
export interface Dump extends Schema.Schema.Type<typeof Dump> {}

export const Manifest = Schema.Struct({
  format: Schema.Literal("plumbline-backup-1"),
  made_at: Schema.String,
  /** The version of Plumbline that made it. */
  version: Schema.String,
  /** The folder of the tables. */
  database: Schema.String,
  ...Dump.fields
})
export interface Manifest extends Schema.Schema.Type<typeof Manifest> {}

const Text = Schema.fromJsonString(Manifest)
const decode = Schema.decodeUnknownEffect(Text)
export const encode = Schema.encodeEffect(Text)

export const manifestFile = (folder: string): string => join(folder, "backup.json")
export const bodiesFolder = (folder: string): string => join(folder, "bodies")
export const archiveFolder = (folder: string): string => join(folder, "archive")
export const headsFolder = (folder: string): string => join(folder, "heads")
export const keysFolder = (folder: string): string => join(folder, "keys")
/** Paths in the folder. */
export const headName = (kid: string): string => `heads/log-${kid}.checkpoint`
export const tableName = (database: string, table: string): string => `${database}/${table}.jsonl.zst`

export const tableFile = (folder: string, database: string, table: string): string =>
  join(folder, tableName(database, table))

export const readManifest = Effect.fnUntraced(function* (folder: string) {
  const file = manifestFile(folder)
  const text = yield* onDisk(() => readFile(file, "utf8")).pipe(
    Effect.mapError(
      ({ message }) =>
        new BackupError({
          message: `${folder} is not a finished backup: ${message}. Name the folder of another`
        })
    )
  )
  return yield* Effect.mapError(
    decode(text),
    () =>
      new BackupError({
        message: `${file} is damaged, or of another version of Plumbline; use another backup`
      })
  )
})

/** The SHA-256 of a file, read piece by piece. */
export const hashOfFile = (path: string) =>
  onDisk(async () => {
    const hash = createHash("sha256")
    for await (const chunk of createReadStream(path)) hash.update(chunk)
    return hash.digest("hex")
  })
