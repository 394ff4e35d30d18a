/** Finds or creates the series of a run's rows. */
import { Array as Arr, Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Manifest } from "../../../plugin/Manifest.ts"
import type { Observation } from "../../../plugin/Value.ts"
import { manyRowsOf } from "../../../sql/rows.ts"
import { RecentDays, type SeriesRow } from "../../read/RecentDays.ts"
import { rowsAtOnce, texts } from "../arrays.ts"
import type { SeriesRows } from "../candidate.ts"
import type { Registry } from "../Registry.ts"

const writtenRows = manyRowsOf({
  id: Predicate.isNumber,
  symbol: Predicate.isString,
  metric: Predicate.isString,
  source: Predicate.isString,
  first_unit: Predicate.isString,
  first_url: Predicate.isString,
  made: Predicate.isBoolean
})

/**
 * The rows by their series, creating new ones. `seriesIds` keeps the ids between calls, and `firstRows` what their first rows had; the
 * series that were written are known to `RecentDays` when this returns.
 */
export const bySeries = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Observation>,
  { id: plugin, tier }: Manifest,
  { firstRows, seriesIds }: Pick<Registry["Service"], "firstRows" | "seriesIds">
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
      insert into series as s (symbol, metric, source, unit, plugin, tier, first_unit, first_url)
      select symbol, metric, source, unit, ${plugin}, ${tier}, unit, verify_url
      from unnest(${texts(some.map(({ symbol }) => symbol))}, ${texts(some.map(({ metric }) => metric))},
        ${texts(some.map(({ source }) => source))}, ${texts(some.map(({ unit }) => unit))},
        ${texts(some.map(({ verify_url }) => verify_url))})
        as t(symbol, metric, source, unit, verify_url)
      on conflict (symbol, metric, source)
        do update set plugin = excluded.plugin, tier = excluded.tier, unit = excluded.unit,
          first_unit = coalesce(s.first_unit, excluded.first_unit), first_url = coalesce(s.first_url, excluded.first_url)
      returning id, symbol, metric, source, first_unit, first_url, xmax = 0 as made`.pipe(writtenRows)
    const series: Array<SeriesRow> = []
    for (const row of written) {
      const { first_unit, first_url, id, made: isNew, metric, source, symbol } = row
      const key = seriesKey(row)
      seriesIds.set(key, id)
      firstRows.set(id, { unit: first_unit, verify_url: first_url })
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
