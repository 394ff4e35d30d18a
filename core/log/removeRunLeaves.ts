/** Retention of the leaves of runs: whole for so many days. The documents, and with them the roots, stay for good. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day } from "../plugin/time.ts"
import { Blobs } from "../readings/ingest/Blobs.ts"
import { removing } from "../readings/ingest/bodyLock.ts"
import type { Due } from "../readings/removing.ts"
import { storedFact, storeFact } from "../sql/keyValue.ts"
import { rowsOf } from "../sql/rows.ts"

const hourRows = rowsOf({ hour: Schema.Date, leaves: Schema.String })

/** The hours of earlier logs, whose rows were set aside as they were, as a statement with `hour` and `leaves`. */
export const earlierHours = (sql: SqlClient.SqlClient) => sql`
  select (r.row ->> 'hour')::timestamptz as hour, r.row ->> 'leaves' as leaves
  from earlier_log l join earlier_row r on r.log = l.id and r.name = 'runs_hour'`

/** Files of one removal, but for those of its last hour, during which no run is stored. */
const portion = 200

export const factOfRemoval = "run_leaves_removed_until"

/** Removes the files of hours that are older than `keepDays`. Returns how many were removed. */
export const removeRunLeaves = Effect.fn("runLeaves.removeOld")(function* (due: Due, keepDays: number) {
  const sql = yield* SqlClient.SqlClient
  const blobs = yield* Blobs
  const end = new Date(due.data - keepDays * day)
  let from = new Date(Number((yield* storedFact(factOfRemoval)) ?? 0))
  let removed = 0
  while (true) {
    // With all of the last hour: two logs may have runs of the one in which the log was restarted.
    const over = yield* sql`
      select hour, leaves from (select hour, leaves from runs_hour union all ${earlierHours(sql)}) every_log
      where hour >= ${from} and hour < ${end} order by hour fetch first ${portion} rows with ties`.pipe(
      hourRows
    )
    const last = over.at(-1)
    if (last === undefined) return removed
    yield* removing(blobs.remove(over.map(({ leaves }) => leaves)))
    removed += over.length
    from = new Date(last.hour.getTime() + 1)
    yield* storeFact(factOfRemoval, String(from.getTime()))
  }
})
