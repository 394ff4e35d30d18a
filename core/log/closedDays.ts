/** The first and the last day that a batch has closed, as parts of a statement: each is a date, null before the first close. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../clock/DataClock.ts"
import { day as dayMs } from "../plugin/time.ts"
import { rowsOf } from "../sql/rows.ts"

export const firstClosedDay = (sql: SqlClient.SqlClient) =>
  sql`(select min(day) from batch where closed_at is not null)`

export const lastClosedDay = (sql: SqlClient.SqlClient) =>
  sql`(select max(day) from batch where closed_at is not null)`

const dayRows = rowsOf({ day: Schema.NullOr(Schema.String) })

/** The newest day that a batch has closed, `YYYY-MM-DD`; yesterday before the first close, which then is what an error names. */
export const newestClosedDay = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`select ${lastClosedDay(sql)}::text as day`.pipe(dayRows)
  return row?.day ?? new Date((yield* DataClock.now) - dayMs).toISOString().slice(0, 10)
})
