/** Single facts of a database that are settled once and hold for ever. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** The fact as it stands; made from `value` where there is none yet. */
export const getOrInit = Effect.fn("facts.getOrInit")(function* (name: string, value: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into fact ${sql.insert({ name, value })} on conflict do nothing`
  const [fact] = yield* sql<{ value: string }>`select value from fact where name = ${name}`
  return fact?.value ?? value
})
