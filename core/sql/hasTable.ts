/** Whether a table is there: a database of an earlier version, or an empty one, lacks some. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "./rows.ts"

const thereRows = rowsOf({ there: Schema.Boolean })

/** True if the database has a table of this name. Needs no migration. */
export const hasTable = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql`select to_regclass(${name}) is not null as there`.pipe(thereRows)
  return table?.there === true
})
