/** Whether the archive has the files that the log commits to. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { archiveKind } from "../../proof/archive.ts"
import { isBatch } from "../../proof/entry.ts"
import type { Difference } from "../../proof/finding.ts"
import { rowsOf } from "../../sql/rows.ts"
import { ArchiveFiles, keyOf } from "../archive/ArchiveFiles.ts"
import { requireIntact } from "../archive/requireIntact.ts"
import type { Placed } from "./entries.ts"

const fileRows = rowsOf({ name: Schema.String, sha256: Schema.String, bytes: Schema.Int })

const isRead = <E, R>(look: Effect.Effect<void, E, R>) =>
  Effect.match(look, { onFailure: () => false, onSuccess: () => true })

export const checkArchive = Effect.fn("log.checkArchive")(function* (placed: ReadonlyArray<Placed>) {
  const sql = yield* SqlClient.SqlClient
  const files = yield* sql`
    select name, sha256, bytes::float8 as bytes from archive_file where log_index is not null`.pipe(fileRows)
  const archive = yield* ArchiveFiles
  const stored = yield* archive.list
  const fileByName = new Map(files.map((file) => [file.name, file]))
  const findings: Array<Difference> = []
  for (const { entry, place } of placed) {
    if (isBatch(entry) || entry.kind !== archiveKind) continue
    const file = fileByName.get(entry.subject)
    const size = stored.get(keyOf(entry.subject, entry.sha256))
    const isThere = file?.sha256 === entry.sha256 && size === file.bytes
    const isWhole = isThere && (archive.holdsToHashes || (yield* isRead(requireIntact(archive, file))))
    if (isWhole) continue
    findings.push({
      what: "archive",
      where: `${entry.subject} (entry ${place})`,
      expected: `a file with SHA-256 ${entry.sha256}`,
      found:
        file === undefined
          ? "no such file"
          : file.sha256 === entry.sha256
            ? isThere
              ? "other bytes"
              : `a file of ${size ?? "no"} bytes instead of ${file.bytes}`
            : `one with SHA-256 ${file.sha256}`
    })
  }
  return findings
})
