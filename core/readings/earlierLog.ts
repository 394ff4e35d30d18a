/**
 * The earlier log in whose place this one is (`core/log/restart.ts`). It proves its days, and this log begins with the day after: rows
 * of earlier days are served, and never become leaves here.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../sql/rows.ts"

const lastRows = rowsOf({ day: Schema.NullOr(Schema.String), origin: Schema.NullOr(Schema.String) })

/** The last day of the newest earlier log, as SQL; null if there is none. */
export const lastEarlierDay = (sql: SqlClient.SqlClient) => sql`(select max(last_day) from earlier_log)`

/** The newest earlier log, if one closed this day or a later one. */
export const earlierLogOf = Effect.fnUntraced(function* (day: string) {
  const sql = yield* SqlClient.SqlClient
  const [log] = yield* sql`
    select last_day::text as day, origin from earlier_log where last_day >= ${day}::date order by id desc limit 1`.pipe(
    lastRows
  )
  return log === undefined || log.day === null || log.origin === null
    ? undefined
    : { origin: log.origin, last: log.day }
})
