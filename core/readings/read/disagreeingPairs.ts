/** Pairs of sources that contradict each other, as ingest noted them. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { Unit } from "../../plugin/Value.ts"
import { rowsOf } from "../../sql/rows.ts"
import { ints } from "../ingest/arrays.ts"

const pairRows = rowsOf({
  series: Schema.Int,
  second: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  unit: Unit,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  as_of: Schema.Date,
  second_metric: Schema.String,
  second_source: Schema.String,
  second_value: Schema.Finite,
  second_value_text: Schema.NullOr(Schema.String),
  second_as_of: Schema.Date,
  tolerance: Schema.Finite,
  why: Schema.String,
  since: Schema.Date
})

/** A pair with the newest values of both. */
const pair = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  select d.series, d.second, s.symbol, s.metric, s.source, s.unit, l.value, l.value_text, l.as_of,
    o.metric as second_metric, o.source as second_source, m.value as second_value,
    m.value_text as second_value_text, m.as_of as second_as_of, d.tolerance, d.why, d.since
  from disagreement d join series s on s.id = d.series join latest l on l.series = s.id
    join series o on o.id = d.second join latest m on m.series = o.id`

/** The newest pairs. */
export const disagreeingPairs = Effect.fnUntraced(function* (limit: number) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`${pair(sql)} order by d.since desc, s.symbol, s.metric limit ${limit}`.pipe(pairRows)
})

/** The oldest pairs that the feed does not have yet; from then on they count as in it. In the transaction that writes the feed. */
export const takeDisagreements = Effect.fnUntraced(function* (limit: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    ${pair(sql)} where not d.in_feed order by d.since, d.series, d.second limit ${limit}`.pipe(pairRows)
  yield* sql`
    update disagreement d set in_feed = true
    from unnest(${ints(rows.map(({ series }) => series))}, ${ints(rows.map(({ second }) => second))}) as t(series, second)
    where d.series = t.series and d.second = t.second`
  return rows
})
