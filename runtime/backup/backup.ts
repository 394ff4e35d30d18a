/** Writes a backup of a running or stopped service. What an earlier backup in the folder held is whole until this one is. */
import { randomUUID } from "node:crypto"
import { basename, join } from "node:path"
import { Clock, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import type { Memory } from "../../core/log/HeadMemory.ts"
import { isoTime } from "../../core/plugin/Value.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { hasTable } from "../../core/sql/hasTable.ts"
import { rowsOf } from "../../core/sql/rows.ts"
import packageJson from "../../package.json" with { type: "json" }
import { copyArchive } from "../database/archiveCopy.ts"
import { type CopiedBodies, copyBodies, namedBodies } from "../database/bodies.ts"
import { makeFolder, onDisk, replaceFile } from "../outside/disk.ts"
import { dumped, type Say } from "./dump.ts"
import * as Files from "./manifest.ts"
import type { Place } from "./place.ts"

const kidRows = rowsOf({ kid: Schema.String })

export interface BackedUp {
  readonly manifest: Files.Manifest
  readonly bodies: CopiedBodies | undefined
  /** Files of the archive. */
  readonly files: number
  /** Log keys whose remembered head was saved. */
  readonly heads: ReadonlyArray<string>
}

/** Saves the heads that this machine remembers. */
const saveHeads = Effect.fnUntraced(function* (folder: string, memory: Memory) {
  const sql = yield* SqlClient.SqlClient
  // Versions up to 21 November 2026 had no table of keys, and remembered no heads.
  if (!(yield* hasTable("signing_key"))) return []
  const keys = yield* sql`select kid from signing_key where purpose = 'log' order by kid limit 1000`.pipe(
    kidRows
  )
  yield* onDisk(() => makeFolder(Files.headsFolder(folder)))
  const saved: Array<string> = []
  for (const { kid } of keys) {
    const [head] = yield* memory.read([kid])
    if (head === undefined) continue
    yield* replaceFile(join(folder, Files.headName(kid)), head.note)
    saved.push(kid)
  }
  return saved
})

export const backup = Effect.fn("Backup.backup")(function* (
  place: Place,
  options: { readonly withBodies: boolean; readonly memory: Memory; readonly say: Say }
) {
  const { folder } = place
  const { memory, say, withBodies } = options
  const startedAt = yield* Clock.currentTimeMillis
  const database = `database-${isoTime(startedAt).replaceAll(/[:-]/g, "")}-${randomUUID().slice(0, 8)}`
  yield* onDisk(() => makeFolder(join(folder, database)))
  // Heads first: one that is older than the log is extended by it, a newer one would contradict it.
  const heads = yield* saveHeads(folder, memory)
  for (const kid of heads) yield* place.take(Files.headName(kid))
  const parts = yield* dumped(place, database, say)
  const bodies = withBodies
    ? yield* copyBodies(namedBodies, yield* Blobs, place.bodies, (done) =>
        say(`${String(done).padStart(12)}  bodies compared`)
      )
    : undefined
  const archived = yield* copyArchive(yield* ArchiveFiles, place.archive)
  const manifest: Files.Manifest = {
    format: "plumbline-backup-1",
    made_at: isoTime(startedAt),
    version: packageJson.version,
    database,
    ...parts
  }
  yield* replaceFile(Files.manifestFile(folder), yield* Effect.orDie(Files.encode(manifest)))
  yield* place.take(basename(Files.manifestFile(folder)))
  yield* place.removeOthers(database)
  return { manifest, bodies, files: archived, heads } satisfies BackedUp
}, Effect.scoped)
