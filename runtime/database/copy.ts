/**
 * Copies a whole database into an empty one, on either engine: the way to move or to upgrade. Everything happens in one
 * transaction on the target, which commits only if the checks pass: a failed copy leaves nothing behind.
 */
import { Context, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Ledger } from "../../core/credits/Ledger.ts"
import { ArchiveFiles } from "../../core/log/archive/ArchiveFiles.ts"
import { Blobs } from "../../core/readings/ingest/Blobs.ts"
import { copyArchive } from "./archiveCopy.ts"
import { copyBodies, namedBodies } from "./bodies.ts"
import { migrate } from "./migrate.ts"
import * as Tables from "./tables.ts"

/** The copy failed; the target is unchanged. */
export class CopyError extends Schema.TaggedError<CopyError>()("CopyError", { message: Schema.String }) {}

/** A database, its stored bodies and its archive. */
export type Place = Context.Context<ArchiveFiles | SqlClient.SqlClient | Blobs>

/** What was copied and verified. */
export interface Copied {
  readonly tables: ReadonlyArray<{ readonly table: string; readonly rows: number }>
  readonly bodies: number
  /** Files of the archive. */
  readonly files: number
  /** Root over the log entries, equal to the one of its newest signed head; null if nothing is published yet. */
  readonly logRoot: string | null
}

export const copy = Effect.fn("Database.copy")(function* (from: Place, to: Place) {
  const source = Context.get(from, SqlClient.SqlClient)
  const target = Context.get(to, SqlClient.SqlClient)
  yield* Effect.provideContext(migrate, from)
  yield* Effect.provideContext(migrate, to)
  const { copied: bodies, damaged } = yield* copyBodies(
    namedBodies,
    Context.get(from, Blobs),
    Context.get(to, Blobs)
  ).pipe(Effect.provideContext(from))
  if (damaged.length > 0) {
    return yield* new CopyError({
      message: `${damaged.length} bodies of the source do not have their hashes (${damaged.slice(0, 3).join(", ")}); restore them from a backup`
    })
  }
  const files = yield* copyArchive(Context.get(from, ArchiveFiles), Context.get(to, ArchiveFiles)).pipe(
    Effect.provideContext(from),
    Effect.catchTag("ArchiveDamaged", ({ message }) => new CopyError({ message }))
  )

  const work = Effect.gen(function* () {
    yield* Effect.provideContext(Tables.steady, from)
    yield* Effect.provideContext(Tables.patient, to)
    const tables = yield* Effect.provideContext(Tables.tablesOf, from)
    const partitions = yield* Effect.provideContext(Tables.partitionsOf, from)
    yield* Effect.provideContext(Tables.makePartitions(partitions), to)
    yield* Effect.provideContext(Tables.requireEmpty(tables), to)
    const copied: Array<{ table: string; rows: number }> = []
    for (const table of tables) {
      const rows = yield* Tables.fillTable(table, (insert) =>
        Effect.provideContext(Tables.readTable(table, insert), from)
      ).pipe(Effect.provideContext(to))
      copied.push({ table, rows })
    }
    const sequences = yield* Effect.provideContext(Tables.sequencesOf, from)
    yield* Effect.provideContext(Tables.setSequences(sequences), to)
    for (const table of tables) {
      const sum = yield* Effect.provideContext(Tables.sumOf(table), from)
      yield* Effect.provideContext(Tables.requireSum(table, sum), to)
    }
    const head = yield* Effect.provideContext(Tables.checkedHead, to)
    return { tables: copied, bodies, files, logRoot: head?.root ?? null } satisfies Copied
  })
  const checked = Effect.gen(function* () {
    const copied = yield* work
    const ledger = yield* Ledger.pipe(
      Effect.flatMap(({ check }) => check),
      Effect.provide(Ledger.layer),
      Effect.provideContext(to)
    )
    if (!ledger.ok) {
      return yield* new CopyError({ message: `the ledger does not balance: ${ledger.problems.join("; ")}` })
    }
    return copied
  })
  return yield* checked.pipe(
    Effect.mapError((error) =>
      error instanceof Tables.TablesDiffer ? new CopyError({ message: error.message }) : error
    ),
    source.withTransaction,
    target.withTransaction
  )
})
