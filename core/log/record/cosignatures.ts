/** What witnesses said of a head of the log. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../sql/rows.ts"

const lineRows = rowsOf({ line: Schema.String })

/**
 * The signature lines of the witnesses that cosigned the head of this size, without newlines: of each witness the last,
 * which says that nothing larger was there.
 */
export const cosignatureLines = Effect.fn("Log.cosignatureLines")(function* (size: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select distinct on (witness) line from cosignature where size = ${size} order by witness, at desc`.pipe(
    lineRows
  )
  return rows.map(({ line }) => line)
})
