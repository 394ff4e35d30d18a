/** Where the log commits to the values of some days. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { texts } from "../../readings/ingest/arrays.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Log } from "../Log.ts"

/** A value of a day. */
export interface DayOfValue {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  /** `YYYY-MM-DD`. */
  readonly date: string
}

export const keyOfDay = ({ date, metric, source, symbol }: DayOfValue): string =>
  JSON.stringify([symbol, metric, source, date])

const leafRows = rowsOf({
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  date: Schema.String,
  hash: Schema.String,
  index: Schema.Int,
  version: Schema.Int,
  batch_root: Schema.String,
  log_index: Schema.Int
})

/**
 * The newest leaf of each of these days under the served head, by `keyOfDay`. One statement; a day without a leaf, or whose
 * batch no served head has yet, is not in it.
 */
export const leavesOf = Effect.fn("Log.leavesOf")(function* (days: ReadonlyArray<DayOfValue>) {
  if (days.length === 0) return new Map<string, never>()
  const sql = yield* SqlClient.SqlClient
  const { size } = yield* (yield* Log).served
  const column = (of: (day: DayOfValue) => string) => texts(days.map(of))
  const rows = yield* sql`
    select t.symbol, t.metric, t.source, t.day as date, encode(n.hash, 'hex') as hash, n.place as index, n.version,
      n.root as batch_root, n.log_index
    from unnest(${column(({ symbol }) => symbol)}, ${column(({ metric }) => metric)},
        ${column(({ source }) => source)}, ${column(({ date }) => date)}) as t(symbol, metric, source, day)
      join series s on s.symbol = t.symbol and s.metric = t.metric and s.source = t.source
      cross join lateral (
        select l.hash, l.place, l.version, b.root, b.log_index
        from leaf l join batch b on b.id = l.batch and b.log_index < ${size}::int
        where l.series = s.id and l.day = t.day::date and l.incident = 0
        order by l.version desc limit 1
      ) n`.pipe(leafRows)
  return new Map(rows.map((row) => [keyOfDay(row), row]))
})
