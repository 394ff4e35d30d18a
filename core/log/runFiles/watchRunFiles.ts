/** Looks at files of runs that nobody reads, so that a damaged one is found while a backup still has it. */
import { Effect, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { hourOf } from "../../proof/runs.ts"
import { storedFact, storeFact } from "../../sql/keyValue.ts"
import { rowsOf } from "../../sql/rows.ts"
import { noteSealed } from "../archive/requireIntact.ts"
import { RunFile, readRunFile } from "./movedRuns.ts"

/** Files of one look: with a look every six hours, a year of hours takes less than a week. */
const mostAtOnce = 400

const factOfLast = "run_files_looked_until"

const fileRows = rowsOf({ id: Schema.Int, ...RunFile.fields })

/** Reads some of the files, each in its turn, and notes which are away or damaged. */
export const watchRunFiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const after = Number((yield* storedFact(factOfLast)) ?? 0)
  const files = yield* sql`
    select id, hour, sha256 from run_file where id > ${after} order by id limit ${mostAtOnce}`.pipe(fileRows)
  for (const file of files) {
    const read = yield* Effect.result(readRunFile(file))
    if (Result.isFailure(read) && read.failure._tag !== "RunsUnavailable") return yield* read.failure
    yield* noteSealed(
      `runs/${hourOf(file.hour.getTime())}/stored`,
      Result.isFailure(read) ? read.failure.message : undefined
    )
  }
  const last = files.length < mostAtOnce ? 0 : (files.at(-1)?.id ?? 0)
  yield* storeFact(factOfLast, String(last))
}).pipe(Effect.withSpan("runFiles.watchRunFiles"))
