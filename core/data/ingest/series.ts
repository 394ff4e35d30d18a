/** Finds or creates the series of a run's rows. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Manifest } from "../../plugin/Plugin.ts"
import type { Observation } from "../../plugin/Value.ts"
import { RecentDays } from "../read/RecentDays.ts"
import { manyRowsOf } from "../rows.ts"
import { texts } from "./arrays.ts"
import type { Candidate } from "./candidate.ts"

const writtenRows = manyRowsOf({
  id: Predicate.isNumber,
  symbol: Predicate.isString,
  metric: Predicate.isString,
  source: Predicate.isString,
  made: Predicate.isBoolean
})

/**
 * Adds each row's series, creating new ones. Duplicate rows count once. `seriesIds` keeps the ids between calls; the series
 * that were written are known to `RecentDays` when this returns.
 */
export const candidatesOf = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Observation>,
  { id: plugin, tier }: Manifest,
  seriesIds: Map<string, number>
) {
  const recent = yield* RecentDays
  const sql = yield* SqlClient.SqlClient
  // Rows are sorted by series and time, so a series starts wherever one of its names changes.
  const firsts = rows.filter((row, n) => !sameSeries(rows[n - 1], row))
  const unknown = new Map(
    firsts.map((row) => [seriesKey(row), row] as const).filter(([key]) => !seriesIds.has(key))
  )
  const made = new Set<number>()
  if (unknown.size > 0) {
    const all = [...unknown.values()]
    const written = yield* sql`
      insert into series (symbol, metric, source, unit, plugin, tier)
      select symbol, metric, source, unit, ${plugin}, ${tier}
      from unnest(${texts(all.map(({ symbol }) => symbol))}, ${texts(all.map(({ metric }) => metric))},
        ${texts(all.map(({ source }) => source))}, ${texts(all.map(({ unit }) => unit))})
        as t(symbol, metric, source, unit)
      on conflict (symbol, metric, source)
        do update set plugin = excluded.plugin, tier = excluded.tier, unit = excluded.unit
      returning id, symbol, metric, source, xmax = 0 as made`.pipe(writtenRows)
    yield* recent.apply({
      series: written.flatMap(({ id, metric, source, symbol }) => {
        const unit = unknown.get(seriesKey({ symbol, metric, source }))?.unit
        return unit === undefined ? [] : [{ id, symbol, metric, source, tier, unit }]
      })
    })
    for (const row of written) {
      seriesIds.set(seriesKey(row), row.id)
      if (row.made) made.add(row.id)
    }
  }
  const candidates: Array<Candidate> = []
  for (const row of rows) {
    const before = candidates.at(-1)
    const same = sameSeries(before?.row, row)
    const series = same ? before?.series : seriesIds.get(seriesKey(row))
    if (series === undefined) return yield* Effect.die(`no series for ${seriesKey(row)}`)
    const asOf = Date.parse(row.as_of)
    if (!same || before?.asOf !== asOf) candidates.push({ series, asOf, row, newSeries: made.has(series) })
  }
  return candidates
})

const seriesKey = (row: {
  readonly symbol: string
  readonly metric: string
  readonly source: string
}): string => `${row.symbol}|${row.metric}|${row.source}`

const sameSeries = (a: Observation | undefined, b: Observation): boolean =>
  a !== undefined && a.symbol === b.symbol && a.metric === b.metric && a.source === b.source
