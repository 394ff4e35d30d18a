/** The hours of runs of earlier logs. */
import type * as SqlClient from "effect/sql/SqlClient"

/** The hours of earlier logs, whose rows were set aside as they were, as a statement with `hour` and `leaves`. */
export const earlierHours = (sql: SqlClient.SqlClient) => sql`
  select (r.row ->> 'hour')::timestamptz as hour, r.row ->> 'leaves' as leaves
  from earlier_log l join earlier_row r on r.log = l.id and r.name = 'runs_hour'`
