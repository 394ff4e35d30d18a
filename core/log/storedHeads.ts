/** What is asked of the heads as they are stored. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../sql/rows.ts"

const headRows = rowsOf({ note: Schema.String, line: Schema.NullOr(Schema.String) })
const busiestRows = rowsOf({ heads: Schema.Int })

/** The newest cosigned head with the line of its newest cosignature; the newest head, and null, where no witness cosigns. */
export const newestCosigned = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [head] = yield* sql`
    select c.note, s.line from checkpoint c
    left join lateral (
      select line from cosignature s where s.size = c.size order by s.at desc, s.witness limit 1
    ) s on true
    order by (s.line is not null) desc, c.size desc limit 1`.pipe(headRows)
  return head
})

/** The most heads of one UTC day of the last 30. */
export const mostHeadsPerDay = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [busiest] = yield* sql`
    select count(*)::int as heads from checkpoint
    where signed_at > (select max(signed_at) from checkpoint) - interval '30 days'
    group by (signed_at at time zone 'UTC')::date order by 1 desc limit 1`.pipe(busiestRows)
  return busiest?.heads ?? 0
})
