/** Notes where two sources begin to contradict each other, and where they agree again, with the run that brought it about. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../../../sql/rows.ts"
import type { LatestRow } from "../../read/Current.ts"
import { contradictions, type Pair } from "../../secondSources.ts"
import { doubles, ints, texts } from "../arrays.ts"

const latestRows = rowsOf({
  series: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  plugin: Schema.String,
  value: Schema.Finite,
  as_of: Schema.Date,
  simulated: Schema.Boolean
})

/**
 * Compares the newest values of the symbols whose latest rows changed. Call in the transaction that changed them. Most runs
 * have no figure that two sources give, and cost nothing.
 */
export const noteDisagreements = Effect.fn("Ingest.noteDisagreements")(function* (
  pairs: ReadonlyArray<Pair>,
  changed: ReadonlyArray<LatestRow>,
  now: Date
) {
  const plugins = new Set(pairs.map(({ plugin }) => plugin))
  const sources = new Set(pairs.map(({ source }) => source))
  const symbols = changed
    .filter(({ plugin, simulated, source }) => !simulated && (plugins.has(plugin) || sources.has(source)))
    .map(({ symbol }) => symbol)
  if (symbols.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const of = texts([...new Set(symbols)])
  const rows = yield* sql`
    select l.series, s.symbol, s.metric, s.source, s.plugin, l.value, l.as_of, l.simulated
    from series s join latest l on l.series = s.id
    where s.symbol = any(${of}) and (s.plugin = any(${texts([...plugins])}) or s.source = any(${texts([...sources])}))
    order by l.series limit 100000`.pipe(latestRows)
  const contradicting = contradictions(pairs, rows, ({ as_of, ...row }) => ({
    ...row,
    asOf: as_of.getTime()
  }))
  const series = ints(contradicting.map(({ row }) => row.series))
  const seconds = ints(contradicting.map(({ second }) => second.series))
  yield* sql`
    delete from disagreement d using series s
    where s.id = d.series and s.symbol = any(${of}) and not exists (
      select 1 from unnest(${series}, ${seconds}) as t(series, second)
      where t.series = d.series and t.second = d.second
    )`
  if (contradicting.length === 0) return
  yield* sql`
    insert into disagreement (series, second, tolerance, why, since)
    select series, second, tolerance, why, ${now}
    from unnest(${series}, ${seconds}, ${doubles(contradicting.map(({ pair }) => pair.tolerance))},
      ${texts(contradicting.map(({ pair }) => pair.why))}) as t(series, second, tolerance, why)
    on conflict do nothing`
})
