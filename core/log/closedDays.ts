/** The first and the last day that a batch has closed, as parts of a statement: each is a date, null before the first close. */
import type * as SqlClient from "effect/sql/SqlClient"

export const firstClosedDay = (sql: SqlClient.SqlClient) =>
  sql`(select min(day) from batch where closed_at is not null)`

export const lastClosedDay = (sql: SqlClient.SqlClient) =>
  sql`(select max(day) from batch where closed_at is not null)`
