/** The archive's files, from one place to another. What is there already is not read again. */
import { createHash } from "node:crypto"
import { Effect, Schema, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type ArchiveFiles, keyOf } from "../../core/log/archive/ArchiveFiles.ts"
import { concat } from "../../core/proof/bytes.ts"
import { hasTable } from "../../core/sql/hasTable.ts"
import { rowsOf } from "../../core/sql/rows.ts"

/** A file of the source does not have the hash that is in the log. */
export class ArchiveDamaged extends Schema.TaggedError<ArchiveDamaged>()("ArchiveDamaged", {
  message: Schema.String
}) {}

const fileRows = rowsOf({ name: Schema.String, sha256: Schema.String, bytes: Schema.Int })

/** Copies the files that the database says are published; gives how many there are. */
export const copyArchive = Effect.fn("archive.copyArchive")(function* (
  from: ArchiveFiles["Service"],
  to: ArchiveFiles["Service"]
) {
  const sql = yield* SqlClient.SqlClient
  // Versions up to 21 November 2026 had no archive.
  if (!(yield* hasTable("archive_file"))) return 0
  const files = yield* sql`
    select name, sha256, bytes::float8 as bytes from archive_file where log_index is not null order by name`.pipe(
    fileRows
  )
  const there = yield* to.list
  for (const { bytes, name, sha256 } of files) {
    const key = keyOf(name, sha256)
    if (there.get(key) === bytes) continue
    const hash = createHash("sha256")
    yield* Stream.runForEach(from.read(key, 0, bytes), (part) => Effect.sync(() => hash.update(part)))
    if (hash.digest("hex") !== sha256) {
      return yield* new ArchiveDamaged({
        message: `the archive's ${name} does not have the hash that is in the log; restore it from a backup or a mirror`
      })
    }
    yield* to.put(key, {
      bytes,
      sha256,
      read: (start, end) =>
        Effect.map(Stream.runCollect(from.read(key, start, end)), (parts) => concat(...parts))
    })
  }
  return files.length
})
