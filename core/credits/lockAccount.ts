import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** So that nothing gets past a limit of an account: what takes this lock is done one at a time, to the end of the transaction. */
export const lockAccount = Effect.fnUntraced(function* (account: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select 1 from account where id = ${account} for update`
})
