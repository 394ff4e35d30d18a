/** The database's clock. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../sql/rows.ts"

const nowRows = rowsOf({ now: Schema.Date })

/** Epoch milliseconds: the clock that all processes share. The embedded engine's is the machine's. */
export const databaseTime = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select clock_timestamp()::timestamptz(3) as now`.pipe(nowRows)
  return row === undefined ? yield* Effect.die("select without a row") : row.now.getTime()
})
