/** The unit that a reading's row had, as a column: null where it is that of the series' first row, or an earlier version stored it. */
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export const rowUnit = (
  sql: SqlClient.SqlClient,
  { as_of, series, version }: Readonly<Record<"as_of" | "series" | "version", Fragment>>
) => sql`(
  select x.unit from reading_row x where x.series = ${series} and x.as_of = ${as_of} and x.version = ${version}
)`
