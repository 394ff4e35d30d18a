/** When the newest head of the log was signed. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"

const signedRows = rowsOf({ signed_at: Schema.Date })

/** Undefined while the log is empty. */
export const headTime = Effect.fn("Log.headTime")(function* () {
  const sql = yield* SqlClient.SqlClient
  const [newest] = yield* sql`select signed_at from checkpoint order by size desc limit 1`.pipe(signedRows)
  return newest?.signed_at
})
