/**
 * Restores a backup into an empty database. Tables that do not refer to each other are loaded at the same time, each in a transaction
 * that commits only if its rows are those of the backup, and until the last one is there nothing but a restore uses the database. One
 * that fails leaves it empty; one that was killed begins with the rows again, and bodies that are there are not written again.
 */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { Ledger } from "../../core/credits/Ledger.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import type { Memory } from "../../core/log/HeadMemory.ts"
import { factOfReturned } from "../../core/log/runFiles/removeReturned.ts"
import { Malformed } from "../../core/proof/bytes.ts"
import { parseCheckpointText, parseNote } from "../../core/proof/checkpoint.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { removeFactsOf, storedFact, storeFact } from "../../core/sql/keyValue.ts"
import { copyArchive } from "../database/archiveCopy.ts"
import { copyBodies } from "../database/bodies.ts"
import { factOfRestoring, isHalfRestored, tooNew, unreadable } from "../database/formats.ts"
import { codeLevels, migrate, migrateTo } from "../database/migrate.ts"
import * as Tables from "../database/tables.ts"
import { onDisk } from "../outside/disk.ts"
import type { Say } from "./dump.ts"
import * as Files from "./manifest.ts"
import type { Place } from "./place.ts"
import { readRows } from "./rows.ts"

/** Which backup a database was restored from, so that a second run knows that the rows are there. */
const factOfRestore = "restored_backup"

const requireKnown = ({ formats = {}, levels, version }: Files.Manifest) =>
  tooNew(formats) !== undefined ||
  Object.entries(levels).some(([room, level]) => level > (codeLevels[room] ?? 0))
    ? new Files.BackupError({
        message: `the backup was made by Plumbline ${version}, which is newer; restore it with that version or a later one`
      })
    : Effect.void

/** Compares every file of rows with its hash before anything is touched. */
const requireWhole = Effect.fnUntraced(function* (folder: string, { database, tables }: Files.Manifest) {
  for (const { name, sha256 } of tables) {
    const path = Files.tableFile(folder, database, name)
    if ((yield* Files.hashOfFile(path)) === sha256) continue
    return yield* new Files.BackupError({ message: `${path} does not have its hash; use another backup` })
  }
})

/** Tables loaded at the same time. The embedded engine has one session, and takes one after the other. */
const tablesAtOnce = 4

/** The facts, among which one says that the database is half restored, are loaded last. */
const facts = "fact"

/** Loads a table; its rows are those of the backup once the transaction commits. */
const loadTable = Effect.fn("Restore.loadTable")(function* (
  folder: string,
  database: string,
  { name, rows, sum }: Files.Manifest["tables"][number],
  say: Say
) {
  yield* Tables.fillTable(name, (insert) =>
    Stream.runForEach(readRows(Files.tableFile(folder, database, name)), insert)
  )
  yield* Tables.requireSum(name, sum)
  if (rows > 0) yield* say(`${String(rows).padStart(12)}  ${name}`)
})

/** Empties what an interrupted restore has loaded. */
const clear = Effect.flatMap(Tables.tablesOf, Tables.clear)

const load = Effect.fn("Restore.load")(
  function* (folder: string, manifest: Files.Manifest, say: Say) {
    const sql = yield* SqlClient.SqlClient
    const { database, made_at, sequences, tables } = manifest
    const byName = new Map(tables.map((table) => [table.name, table]))
    const inTransaction = <A, E, R>(work: Effect.Effect<A, E, R>) =>
      sql.withTransaction(Effect.andThen(Tables.patient, work))
    for (const group of yield* Tables.tableGroups) {
      // The largest first: what is left in the end is small.
      const some = group
        .flatMap((name) => (name === facts ? [] : (byName.get(name) ?? [])))
        .sort((one, other) => other.rows - one.rows)
      yield* Effect.forEach(some, (table) => inTransaction(loadTable(folder, database, table, say)), {
        concurrency: tablesAtOnce,
        discard: true
      })
    }
    yield* inTransaction(
      Effect.gen(function* () {
        yield* Tables.clear([facts])
        const table = byName.get(facts)
        if (table !== undefined) yield* loadTable(folder, database, table, say)
        yield* Tables.setSequences(sequences)
        yield* Tables.checkedHead
        // What was over came back with the backup: the next round of maintenance looks at all bodies again.
        yield* removeFactsOf("bodies_removed_until:")
        yield* removeFactsOf(factOfReturned)
        yield* storeFact(factOfRestore, made_at)
      })
    )
  },
  Effect.onError(() => Effect.orDie(clear))
)

/** Makes an empty database ready for the rows. From then on only a restore uses it. */
const begin = Effect.fnUntraced(function* ({ made_at, partitions, tables }: Files.Manifest) {
  yield* Tables.patient
  yield* Tables.makePartitions(partitions)
  yield* Tables.requireEmpty(tables.map(({ name }) => name))
  yield* storeFact(factOfRestoring, made_at)
})

/** Keeps the heads of the backup where this machine remembers none that is greater. */
const keepHeads = Effect.fnUntraced(function* (folder: string, memory: Memory) {
  const names = yield* Effect.orElseSucceed(
    onDisk(() => readdir(Files.headsFolder(folder))),
    () => []
  )
  for (const name of names) {
    const kid = /^log-([\w-]{43})\.checkpoint$/.exec(name)?.[1]
    if (kid === undefined) continue
    const note = yield* onDisk(() => readFile(join(Files.headsFolder(folder), name), "utf8"))
    const size = yield* Effect.try({
      try: () => parseCheckpointText(parseNote(note).text).size,
      catch: (cause) =>
        new Files.BackupError({
          message: `${name} in the backup is not a signed head: ${cause instanceof Malformed ? cause.message : String(cause)}`
        })
    })
    yield* memory.keep([kid], { size, note })
  }
})

export const restore = Effect.fn("Restore.restore")(function* (
  place: Place,
  {
    memory,
    say
  }: { readonly memory: Effect.Effect<Memory, SqlError, SqlClient.SqlClient>; readonly say: Say }
) {
  const sql = yield* SqlClient.SqlClient
  const { folder } = place
  yield* place.bring
  const manifest = yield* Files.readManifest(folder)
  yield* requireKnown(manifest)
  yield* requireWhole(folder, manifest)
  yield* say("the files have their hashes")
  if (yield* isHalfRestored) {
    yield* say("an earlier restore was interrupted: its rows are removed")
    yield* clear
  }
  yield* migrateTo(manifest.levels)
  const before = yield* storedFact(factOfRestore)
  if (before !== manifest.made_at) {
    const partitions = new Set(manifest.partitions.map(({ name }) => name))
    yield* Tables.requireEmpty(manifest.tables.flatMap(({ name }) => (partitions.has(name) ? [] : [name])))
  }
  const bodies = yield* copyBodies(place.bodiesThere, place.bodies, yield* Blobs, (done) =>
    done % 1000 < 8 ? say(`${String(done).padStart(12)}  bodies compared`) : Effect.void
  )
  if (before === manifest.made_at) yield* say("the rows are there from an earlier run")
  else {
    yield* sql.withTransaction(begin(manifest))
    yield* load(folder, manifest, say)
  }
  // A log that this version does not read is restored as it was, so that it can be restarted.
  const why = yield* unreadable
  if (why !== undefined) {
    return yield* new Files.BackupError({
      message: `the rows are restored as they were saved, and not migrated: ${why.message}. To do: ${why.action}`
    })
  }
  yield* migrate
  const files = yield* copyArchive(place.archive, yield* ArchiveFiles)
  yield* keepHeads(folder, yield* memory)
  const ledger = yield* Ledger.pipe(
    Effect.flatMap(({ check }) => check),
    Effect.provide(Ledger.layer)
  )
  if (!ledger.ok) {
    return yield* new Files.BackupError({
      message: `restored, but the ledger does not balance: ${ledger.problems.join("; ")}`
    })
  }
  return { manifest, bodies, files }
}, Effect.scoped)
