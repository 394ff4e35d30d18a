import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** Runs statements that each end in a semicolon at the end of a line; a function body keeps its own inside the line. */
export const statements = (source: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of source.split(/;\s*$/m)) {
      if (statement.trim() !== "") yield* sql.unsafe(statement)
    }
  })
