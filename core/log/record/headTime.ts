/** When a head of the log was signed. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"

const signedRows = rowsOf({ signed_at: Schema.Date })

/** Of the head of `size` entries; undefined while the log is empty. */
export const headTime = Effect.fn("Log.headTime")(function* (size: number) {
  const sql = yield* SqlClient.SqlClient
  const [head] = yield* sql`select signed_at from checkpoint where size = ${size}`.pipe(signedRows)
  return head?.signed_at
})
