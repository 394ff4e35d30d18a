/** Writes all tables of a database as they are at one moment. */
import { fork } from "node:child_process"
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { guarded } from "../../core/process/guarded.ts"
import { typescriptFlags } from "../../core/process/typescriptFlags.ts"
import { storedFormats } from "../database/formats.ts"
import { levelsOf } from "../database/migrate.ts"
import { Snapshot } from "../database/Snapshot.ts"
import * as Tables from "../database/tables.ts"
import * as Files from "./manifest.ts"
import type { Place } from "./place.ts"
import { writeRows } from "./rows.ts"

/** Says how far the work is. */
export type Say = (line: string) => Effect.Effect<void>

/** Writes the tables into `<folder>/<database>`, in one transaction; `take` is told of each that is whole, by its path in the folder. */
export const dump = Effect.fn("Backup.dump")(function* <E = never>(
  folder: string,
  database: string,
  say: Say,
  take: (path: string) => Effect.Effect<void, E> = () => Effect.void
) {
  const sql = yield* SqlClient.SqlClient
  const work = Effect.gen(function* () {
    yield* Tables.steady
    const tables: Array<Files.Dump["tables"][number]> = []
    for (const name of yield* Tables.tablesOf) {
      const { done, sha256 } = yield* writeRows(Files.tableFile(folder, database, name), (write) =>
        Tables.readTable(name, write)
      )
      tables.push({ name, rows: done, sum: yield* Tables.sumOf(name), sha256 })
      yield* take(Files.tableName(database, name))
      if (done > 0) yield* say(`${String(done).padStart(12)}  ${name}`)
    }
    return {
      log: yield* Tables.checkedHead,
      levels: yield* levelsOf,
      formats: yield* storedFormats,
      partitions: yield* Tables.partitionsOf,
      sequences: yield* Tables.sequencesOf,
      tables
    } satisfies Files.Dump
  })
  return yield* sql.withTransaction(work)
})

/** What the process says that dumps a snapshot. */
export const FromChild = Schema.Union([
  Schema.Struct({ line: Schema.String }),
  Schema.Struct({ dump: Files.Dump }),
  Schema.Struct({ failed: Schema.String })
])
export type FromChild = typeof FromChild.Type

const decode = Schema.decodeUnknownOption(FromChild)

/** The same of a snapshot of the embedded database, in a process of its own with an engine of its own. */
const dumpOf = Effect.fn("Backup.dumpOf")(function* (
  snapshot: string,
  folder: string,
  database: string,
  say: Say
) {
  const run = Effect.runForkWith(yield* Effect.context())
  return yield* Effect.callback<Files.Dump, Files.BackupError>((resume) => {
    const fail = (why: string) =>
      resume(Effect.fail(new Files.BackupError({ message: `the database could not be saved: ${why}` })))
    const child = fork(new URL("dump.child.ts", import.meta.url), [snapshot, folder, database], {
      // Nothing of the service's environment is its business.
      env: {},
      execArgv: [...typescriptFlags, "--no-warnings"],
      stdio: ["ignore", "ignore", "pipe", "ipc"]
    })
    let words = ""
    child.stderr?.on(
      "data",
      guarded("a backup", (part: Buffer) => {
        words = `${words}${part.toString("utf8")}`.slice(-1000)
      })
    )
    child.on(
      "message",
      guarded("a backup", (message: unknown) => {
        const statement = decode(message)
        if (statement._tag === "None") return fail("it says what this version does not know")
        if ("line" in statement.value) run(say(statement.value.line))
        else if ("failed" in statement.value) fail(statement.value.failed)
        else resume(Effect.succeed(statement.value.dump))
      })
    )
    child.on(
      "error",
      guarded("a backup", ({ message }: Error) => fail(message))
    )
    child.on(
      "exit",
      guarded("a backup", (code: number | null, signal: string | null) =>
        fail(words.trim() === "" ? `its process ended with ${signal ?? code}` : words.trim())
      )
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })
})

/** The same of the database at hand. Of the embedded engine, writers wait only for the last of the copying, and tables go in the end. */
export const dumped = Effect.fnUntraced(function* ({ folder, take }: Place, database: string, say: Say) {
  const snapshot = yield* Snapshot
  if (snapshot === undefined) return yield* dump(folder, database, say, take)
  const parts = yield* Effect.scoped(
    Effect.flatMap(snapshot, (place) => dumpOf(place, folder, database, say))
  )
  for (const { name } of parts.tables) yield* take(Files.tableName(database, name))
  return parts
})
