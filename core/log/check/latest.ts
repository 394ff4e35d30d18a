/** Whether each latest row is the newest reading that is accepted. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isoTime } from "../../plugin/Value.ts"
import type { Difference } from "../../proof/finding.ts"
import * as partitions from "../../readings/ingest/partitions.ts"
import { rowsOf } from "../../sql/rows.ts"

const latestRows = rowsOf({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  as_of: Schema.Date,
  value: Schema.Number,
  value_text: Schema.NullOr(Schema.String),
  read_at: Schema.NullOr(Schema.Date),
  read: Schema.NullOr(Schema.Number),
  read_text: Schema.NullOr(Schema.String)
})

const most = 200

export const checkLatest = Effect.fn("log.checkLatest")(function* () {
  const sql = yield* SqlClient.SqlClient
  const keptFrom = new Date(yield* partitions.retainedFrom)
  const rows = yield* sql`
    select s.symbol, s.metric, s.source, l.as_of, l.value, l.value_text, o.as_of as read_at, o.value as read,
      o.value_text as read_text
    from latest l join series s on s.id = l.series left join lateral (
      select * from observation o
      where o.series = l.series and not exists (
        select 1 from exclusion e join incident i on i.id = e.incident
        where e.series = o.series and e.as_of = o.as_of and e.version = o.version and i.closed_at is null
      ) order by o.as_of desc, o.version desc limit 1
    ) o on true
    where l.as_of >= ${keptFrom}
      and (l.as_of, l.value, l.value_text) is distinct from (o.as_of, o.value, o.value_text)
    order by l.series limit ${most}`.pipe(latestRows)
  return rows.map(
    (row): Difference => ({
      what: "latest row",
      where: `${row.symbol} ${row.metric} of ${row.source}`,
      expected:
        row.read_at === null
          ? "no row: no reading is accepted"
          : `${row.read_text ?? row.read} at ${isoTime(row.read_at.getTime())}, the newest accepted reading`,
      found: `${row.value_text ?? row.value} at ${isoTime(row.as_of.getTime())}`
    })
  )
})
