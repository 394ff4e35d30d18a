/** Changes of the methods that figures of aggregators follow. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { ints } from "../ingest/arrays.ts"

const changeRows = rowsOf({
  id: Schema.Int,
  source: Schema.String,
  before: Schema.String,
  after: Schema.String,
  since: Schema.Date
})

/** These changes, in their order. */
export const methodChangesOf = Effect.fnUntraced(function* (ids: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select m.id, m.source, b.statement as before, m.statement as after, m.since
    from figure_method m join figure_method b on b.id = m.replaces
    where m.id = any(${ints(ids)}) order by m.id limit ${ids.length}`.pipe(changeRows)
  return rows.map(({ since, ...change }) => ({ ...change, since: isoTime(since.getTime()) }))
})
