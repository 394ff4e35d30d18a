/**
 * Bodies go before their runs move, but a restore brings back what the folder of the backup still had of them, and no table names these.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Limits, removeAgain } from "../../readings/ingest/bodies.ts"
import type { Due } from "../../readings/removing.ts"
import { storedFact, storeFact } from "../../sql/keyValue.ts"
import { rowsOf } from "../../sql/rows.ts"
import { RunFile, readRunFile } from "./movedRuns.ts"
import { passingBodies } from "./runFile.ts"

/** Stored once the files were looked through; a restore removes it. */
export const factOfReturned = "moved_bodies_removed"

/** Files of one statement. */
const filesAtOnce = 1000

const fileRows = rowsOf({ id: Schema.Int, ...RunFile.fields })

/** The bodies that the runs of a file had for a time; undefined where it cannot be read, which whoever looks at the files reports. */
const bodiesOf = (file: RunFile) =>
  readRunFile(file).pipe(
    Effect.map((lines) => [...new Set([...lines.values()].flatMap(passingBodies))]),
    Effect.catchTag("RunsUnavailable", () => Effect.succeed(undefined))
  )

/**
 * Removes the bodies that moved runs had, unless it was done since the database was restored. Returns how many. With a file that cannot
 * be read it is not done.
 */
export const removeReturned = Effect.fn("runFiles.removeReturned")(function* (due: Due, limits: Limits) {
  if ((yield* storedFact(factOfReturned)) !== undefined) return 0
  const sql = yield* SqlClient.SqlClient
  let removed = 0
  let isDone = true
  for (let after = 0, files = filesAtOnce; files === filesAtOnce; ) {
    const some = yield* sql`
      select id, hour, sha256 from run_file where id > ${after} order by id limit ${filesAtOnce}`.pipe(
      fileRows
    )
    for (const file of some) {
      const bodies = yield* bodiesOf(file)
      if (bodies === undefined) isDone = false
      else removed += yield* removeAgain(bodies, due, limits)
    }
    files = some.length
    after = some.at(-1)?.id ?? after
  }
  if (isDone) yield* storeFact(factOfReturned, "true")
  return removed
})
