/** Finds or creates the series of a run's rows. */
import { Array as Arr, Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Manifest } from "../../plugin/Manifest.ts"
import type { Observation } from "../../plugin/Value.ts"
import { manyRowsOf } from "../../sql/rows.ts"
import { RecentDays, type SeriesRow } from "../read/RecentDays.ts"
import { rowsAtOnce, texts } from "./arrays.ts"
import type { SeriesRows } from "./candidate.ts"

const writtenRows = manyRowsOf({
  id: Predicate.isNumber,
  symbol: Predicate.isString,
  metric: Predicate.isString,
  source: Predicate.isString,
  made: Predicate.isBoolean
})

/**
 * The rows by their series, creating new ones. `seriesIds` keeps the ids between calls; the series that were written are
 * known to `RecentDays` when this returns.
 */
export const bySeries = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Observation>,
  { id: plugin, tier }: Manifest,
  seriesIds: Map<string, number>
) {
  const recent = yield* RecentDays
  const sql = yield* SqlClient.SqlClient
  const keyed = groupsOf(rows).map((ofSeries) => [seriesKey(ofSeries[0]), ofSeries] as const)
  const unknown = new Map(
    keyed.flatMap(([key, [first]]) => (seriesIds.has(key) ? [] : [[key, first] as const]))
  )
  const newIds = new Set<number>()
  const writeSeries = Effect.fnUntraced(function* (some: ReadonlyArray<Observation>) {
    const written = yield* sql`
      insert into series (symbol, metric, source, unit, plugin, tier)
      select symbol, metric, source, unit, ${plugin}, ${tier}
      from unnest(${texts(some.map(({ symbol }) => symbol))}, ${texts(some.map(({ metric }) => metric))},
        ${texts(some.map(({ source }) => source))}, ${texts(some.map(({ unit }) => unit))})
        as t(symbol, metric, source, unit)
      on conflict (symbol, metric, source)
        do update set plugin = excluded.plugin, tier = excluded.tier, unit = excluded.unit
      returning id, symbol, metric, source, xmax = 0 as made`.pipe(writtenRows)
    const series: Array<SeriesRow> = []
    for (const row of written) {
      const { id, made: isNew, metric, source, symbol } = row
      const key = seriesKey(row)
      seriesIds.set(key, id)
      if (isNew) newIds.add(id)
      const unit = unknown.get(key)?.unit
      if (unit !== undefined) series.push({ id, symbol, metric, source, tier, unit })
    }
    yield* recent.apply({ series })
  })
  yield* Effect.forEach(Arr.chunksOf(unknown.values(), rowsAtOnce), writeSeries, { discard: true })
  const grouped: Array<SeriesRows> = []
  for (const [key, rows] of keyed) {
    const series = seriesIds.get(key)
    if (series === undefined) return yield* Effect.die(`no series for ${key}`)
    grouped.push({ series, newSeries: newIds.has(series), rows })
  }
  return grouped
})

/** Rows sorted by series and time, divided where a series ends: wherever one of its names changes. */
export const groupsOf = (
  rows: ReadonlyArray<Observation>
): ReadonlyArray<Arr.NonEmptyReadonlyArray<Observation>> => {
  const groups: Array<Arr.NonEmptyArray<Observation>> = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last !== undefined && sameSeries(last[0], row)) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** A series by its names, as one text. */
export const seriesKey = (row: {
  readonly symbol: string
  readonly metric: string
  readonly source: string
}): string => `${row.symbol}|${row.metric}|${row.source}`

const sameSeries = (a: Observation, b: Observation): boolean =>
  a.symbol === b.symbol && a.metric === b.metric && a.source === b.source
