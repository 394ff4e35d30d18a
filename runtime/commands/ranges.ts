/** The last known value of each series, with the lowest and the highest of its last thirty days. Only reads. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/clock/DataClock.ts"
import { day } from "../../core/plugin/time.ts"
import { isCountedDay } from "../../core/readings/read/byDefinition.ts"
import { rowsOf } from "../../core/sql/rows.ts"

const Range = Schema.Struct({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  value: Schema.Finite,
  low: Schema.Finite,
  high: Schema.Finite
})

export const Ranges = Schema.Array(Range)
export type Ranges = typeof Ranges.Type

const rangeRows = rowsOf(Range.fields)

/** Leaves out what the demo made up. */
export const ranges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const from = new Date((yield* DataClock.now) - 30 * day)
  return yield* sql`
    select s.symbol, s.metric, s.source, l.value,
      least(l.value, min(d.value)) as low, greatest(l.value, max(d.value)) as high
    from latest l join series s on s.id = l.series
      left join daily d on d.series = l.series and ${sql.literal(isCountedDay)} and not d.simulated
        and d.day >= (${from}::timestamptz at time zone 'UTC')::date
    where not l.simulated
    group by s.symbol, s.metric, s.source, l.value
    order by s.symbol, s.metric, s.source`.pipe(rangeRows)
})
