/** Rows of recent days, in any version, and latest rows that differ from what was sealed or read. */
import { Array as Arr, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { ints } from "../../readings/ingest/arrays.ts"
import { dateOf } from "../../readings/read/days.ts"
import { dayHolds, forgetDiffering, latestHolds, noteDiffering } from "../../readings/read/differing.ts"
import { recentDays } from "../../readings/read/RecentDays.ts"
import { rowsOf } from "../../sql/rows.ts"

const DifferingRow = Schema.Struct({
  series: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  /** Null of a latest row. */
  day: Schema.NullOr(Schema.String),
  as_of: Schema.Date
})
export interface DifferingRow extends Schema.Schema.Type<typeof DifferingRow> {}

const differingRows = rowsOf(DifferingRow.fields)

/** Series of one statement. */
const chunk = 200

/** Looks at these series, and notes what it finds: what their readers left out before is forgotten. */
export const differingRowsOf = Effect.fn("log.differingRowsOf")(function* (series: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const from = dateOf((yield* DataClock.now) - recentDays * dayMs)
  const [ofDay, ofLatest] = [yield* dayHolds, yield* latestHolds]
  const all: Array<DifferingRow> = []
  for (const ids of Arr.chunksOf(series, chunk)) {
    const rows = yield* sql`
      select d.series, s.symbol, s.metric, s.source, d.day::text as day, d.as_of
      from daily d join series s on s.id = d.series
      where d.series = any(${ints(ids)}) and d.day >= ${from}::date and not ${ofDay}
      union all
      select l.series, s.symbol, s.metric, s.source, null, l.as_of
      from latest l join series s on s.id = l.series
      where l.series = any(${ints(ids)}) and not ${ofLatest}
      order by series, day`.pipe(differingRows)
    forgetDiffering(sql, ids)
    noteDiffering(
      sql,
      "check",
      ids,
      rows.map((row) => ({ series: row.series, day: row.day ?? undefined }))
    )
    all.push(...rows)
  }
  return all
})
