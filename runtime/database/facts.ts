/** Facts about a database that are set once and never change. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { storedFact } from "../../core/data/fact.ts"

/** The stored fact; set to `value` if there is none yet. */
export const getOrInit = Effect.fn("Facts.getOrInit")(function* (name: string, value: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into fact ${sql.insert({ name, value })} on conflict do nothing`
  return (yield* storedFact(name)) ?? value
})
