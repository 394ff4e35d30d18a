/** The expected series that a day has no leaf for: a batch lists them, so that a gap is as provable as a reading. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { rowsOf } from "../data/rows.ts"
import type { Manifest } from "../plugin/Plugin.ts"
import type { SeriesName } from "../proof/leaf.ts"

const seriesRows = rowsOf({
  id: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  plugin: Schema.String,
  present: Schema.Boolean
})

/**
 * Series declared by a single-network manifest or an earlier reading that have no sealed reading of this day.
 */
export const absentOn = Effect.fnUntraced(function* (day: string, manifests: ReadonlyArray<Manifest>) {
  const sql = yield* SqlClient.SqlClient
  const running = manifests.filter(({ disabled }) => disabled === undefined)
  const present = new Set<string>()
  const declared = new Map<string, SeriesName>()
  let after = 0
  while (true) {
    const page = yield* sql`
      select s.id, s.symbol, s.metric, s.source, s.plugin, exists (
        select 1 from daily d where d.series = s.id and d.day = ${day}::date and d.n_observations > 0
          and d.sealed_by is not null
      ) as present
      from series s where s.id > ${after} order by s.id limit 5000`.pipe(seriesRows)
    for (const { metric, plugin, present: has, source, symbol } of page) {
      if (!running.some(({ id }) => id === plugin)) continue
      declared.set(`${symbol}|${metric}|${source}`, { symbol, metric, source })
      if (has) present.add(`${symbol}|${metric}`)
    }
    after = page.at(-1)?.id ?? after
    if (page.length < 5000) break
  }
  for (const { covers, metrics, source } of running) {
    const [symbol, ...others] = "networks" in covers ? covers.networks : []
    if (symbol === undefined || others.length > 0) continue
    for (const metric of Object.keys(metrics)) {
      declared.set(`${symbol}|${metric}|${source}`, { symbol, metric, source })
    }
  }
  return [...declared.values()].filter(({ metric, symbol }) => !present.has(`${symbol}|${metric}`))
})
