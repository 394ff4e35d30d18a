/** Facts: what a part of the service remembers by name, as text. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "./rows.ts"

const factRows = rowsOf({ value: Schema.String })

/** The fact of this name; undefined if it was never stored. */
export const storedFact = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const [fact] = yield* sql`select value from fact where name = ${name}`.pipe(factRows)
  return fact?.value
})
