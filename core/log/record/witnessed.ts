/** The largest head that each witness cosigned, as this service has it. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"

const rows = rowsOf({ witness: Schema.String, size: Schema.Int, at: Schema.Date })

/** `witness` is its verifier key. */
export const witnessed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select distinct on (witness) witness, size, at from cosignature order by witness, size desc, at desc limit 100`.pipe(
    rows
  )
})
