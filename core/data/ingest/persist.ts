/** Writes the classified rows of one chunk: readings, exclusions, revisions, days and each series' latest row. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Tier } from "../../plugin/kinds.ts"
import type { LatestRow } from "../read/Current.ts"
import type { VersionRow } from "../read/DayTable.ts"
import { oldestRecent, versionRows, writtenDay } from "../read/RecentDays.ts"
import { manyRowsOf } from "../rows.ts"
import { doubles, ints, texts, times } from "./arrays.ts"
import type { Classified, Known } from "./classify.ts"

const begunRows = manyRowsOf({
  series: Predicate.isNumber,
  date: Predicate.isString,
  incident: Predicate.isNumber
})
const latestRows = manyRowsOf({ series: Predicate.isNumber, confirmed_at: Predicate.isDate })

/** What all rows of a chunk share. */
export interface About {
  readonly run: string
  readonly plugin: string
  readonly tier: Tier
  readonly recordedAt: Date
  readonly simulated: boolean
}

/** Call in the transaction that classified the rows. Returns the resulting latest rows, and the recent days. */
export const persist = Effect.fnUntraced(function* (rows: ReadonlyArray<Classified>, about: About) {
  const fresh = rows.filter(({ version }) => version > 0)
  const days = fresh.length > 0 ? yield* keepReadings(fresh, about) : []
  return {
    days,
    changed: yield* keepLatest(rows, about),
    fresh: fresh.length,
    /** Symbols with a new reading, whether or not it is the latest. */
    symbols: new Set(fresh.map(({ row }) => row.symbol)),
    revised: fresh.filter(({ before }) => before !== undefined).length,
    excluded: rows.filter(({ incident }) => incident > 0).length
  }
})

const keepReadings = Effect.fnUntraced(function* (fresh: ReadonlyArray<Classified>, about: About) {
  const sql = yield* SqlClient.SqlClient
  const { recordedAt, run } = about
  yield* sql`
    insert into observation (series, as_of, version, value, value_text, recorded_at, run)
    select series, as_of, version, value, value_text, ${recordedAt}, ${run}
    from unnest(${ints(fresh.map(({ series }) => series))}, ${times(fresh.map(({ asOf }) => asOf))},
      ${ints(fresh.map(({ version }) => version))}, ${doubles(fresh.map(({ row }) => row.value))},
      ${texts(fresh.map(({ row }) => row.value_text ?? null))}) as t(series, as_of, version, value, value_text)`

  const excluded = fresh.filter(({ incident }) => incident > 0)
  if (excluded.length > 0) {
    yield* sql`
      insert into exclusion (series, as_of, version, incident)
      select * from unnest(${ints(excluded.map(({ series }) => series))},
        ${times(excluded.map(({ asOf }) => asOf))}, ${ints(excluded.map(({ version }) => version))},
        ${ints(excluded.map(({ incident }) => incident))})`
  }
  for (const { asOf, before, row, series, version } of fresh) {
    if (before === undefined) continue
    yield* sql`insert into revision ${sql.insert({
      series,
      as_of: asOf,
      version,
      before_value: before.value,
      before_text: before.value_text,
      after_value: row.value,
      after_text: row.value_text ?? null,
      recorded_at: recordedAt,
      run,
      why: "the upstream restated it"
    })}`
  }

  const days = yield* daysOf(fresh)
  const begun = yield* beginDays(days, about)
  const oldest = yield* oldestRecent
  const others = [...days].filter(([key]) => !begun.has(key)).map(([, day]) => day)
  return [...begun.values(), ...(others.length === 0 ? [] : yield* continueDays(others, about))].filter(
    ({ date }) => date >= oldest
  )
})

/** Writes the days that have no row yet, as most have that a run of the past tells of; by their keys. */
const beginDays = Effect.fnUntraced(function* (
  days: ReadonlyMap<string, Day>,
  { recordedAt, simulated }: About
) {
  const sql = yield* SqlClient.SqlClient
  const all = [...days.values()]
  const begun = yield* sql`
    insert into daily (series, day, incident, version, as_of, value, value_text, n_observations, verify_url,
      recorded_at, simulated)
    select series, (as_of at time zone 'UTC')::date, incident, 1, as_of, value, value_text, added, verify_url,
      ${recordedAt}, ${simulated}
    from ${valuesOf(sql, all)}
    on conflict do nothing
    returning series, day::text as date, incident`.pipe(begunRows)
  return new Map(
    begun.map(({ date, incident, series }): [string, VersionRow] => {
      const key = keyOf(series, Date.parse(date), incident)
      const day = days.get(key)
      if (day === undefined) throw new Error(`${key} was not written`)
      const { asOf, row } = day.newest
      return [
        key,
        {
          series,
          date,
          incident,
          version: 1,
          value: row.value,
          value_text: row.value_text ?? null,
          n_observations: day.added,
          as_of: asOf,
          verify_url: row.verify_url,
          simulated
        }
      ]
    })
  )
})

/** The newest readings of days, as a table. */
const valuesOf = (sql: SqlClient.SqlClient, days: ReadonlyArray<Day>) =>
  sql`unnest(${ints(days.map(({ newest }) => newest.series))},
        ${ints(days.map(({ newest }) => newest.incident))}, ${times(days.map(({ newest }) => newest.asOf))},
        ${doubles(days.map(({ newest }) => newest.row.value))},
        ${texts(days.map(({ newest }) => newest.row.value_text ?? null))},
        ${texts(days.map(({ newest }) => newest.row.verify_url))}, ${ints(days.map(({ added }) => added))})
        as t(series, incident, as_of, value, value_text, verify_url, added)`

/** Adds to days that have a row: to the newest version, or to a new one where that is sealed. */
const continueDays = Effect.fnUntraced(function* (
  days: ReadonlyArray<Day>,
  { recordedAt, simulated }: About
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    insert into daily as d (series, day, incident, version, as_of, value, value_text, n_observations, verify_url,
      recorded_at, simulated)
    select n.series, n.day, n.incident,
      case when o.version is null then 1 when o.sealed_by is null then o.version else o.version + 1 end,
      case when o.later then o.as_of else n.as_of end, case when o.later then o.value else n.value end,
      case when o.later then o.value_text else n.value_text end, coalesce(o.n_observations, 0) + n.added,
      case when o.later then o.verify_url else n.verify_url end,
      -- A run that is stored late, such as one a killed process left, does not move the day's time back.
      greatest(o.recorded_at, ${recordedAt}::timestamptz), ${simulated}
    from (
      select series, (as_of at time zone 'UTC')::date as day, incident, as_of, value, value_text, verify_url, added
      from ${valuesOf(sql, days)}
    ) n left join lateral (
      -- A day that no reading is left in holds what it once said, which no longer counts.
      select o.*, o.n_observations > 0 and o.as_of > n.as_of as later from daily o
      where o.series = n.series and o.day = n.day and o.incident = n.incident
      order by version desc limit 1
    ) o on true
    on conflict (series, day, incident, version) do update set as_of = excluded.as_of,
      value = excluded.value, value_text = excluded.value_text, n_observations = excluded.n_observations,
      verify_url = excluded.verify_url, recorded_at = excluded.recorded_at, simulated = excluded.simulated,
      readings_sha256 = null
    returning ${writtenDay(sql)}`.pipe(versionRows)
})

interface Day {
  newest: Classified
  added: number
}

const keyOf = (series: number, at: number, incident: number): string =>
  `${series}|${Math.floor(at / 86_400_000)}|${incident}`

/** By series, day and incident: the newest of these readings, and how many the day has not counted yet. */
const daysOf = Effect.fnUntraced(function* (fresh: ReadonlyArray<Classified>) {
  const days = new Map<string, Day>()
  for (const reading of fresh) {
    const { asOf, incident, series } = reading
    const added = reading.before !== undefined && (yield* isCounted(reading, reading.before)) ? 0 : 1
    const key = keyOf(series, asOf.getTime(), incident)
    const day = days.get(key)
    if (day === undefined) days.set(key, { newest: reading, added })
    else {
      day.added += added
      if (day.newest.asOf < asOf) day.newest = reading
    }
  }
  return days
})

/** Whether an earlier version of the reading is counted in the same place. */
const isCounted = Effect.fnUntraced(function* ({ asOf, incident, series }: Classified, before: Known) {
  if (before.incident === incident) return true
  const sql = yield* SqlClient.SqlClient
  const earlier = yield* sql`
    select 1 from observation o
    where o.series = ${series} and o.as_of = ${asOf} and o.version <= ${before.version} and coalesce((
      select min(e.incident) from exclusion e join incident c on c.id = e.incident
      where e.series = o.series and e.as_of = o.as_of and e.version = o.version and c.closed_at is null
    ), 0) = ${incident} limit 1`
  return earlier.length > 0
})

/** Writes the latest row of each series, as far as these are as new. Returns what was written. */
export const keepLatest = Effect.fnUntraced(function* (
  rows: ReadonlyArray<Classified>,
  { plugin, recordedAt, run, simulated, tier }: About
) {
  const sql = yield* SqlClient.SqlClient
  const newest = new Map<number, Classified>()
  for (const row of rows) {
    if (row.incident > 0 || !row.current) continue
    const before = newest.get(row.series)
    if (before === undefined || before.asOf <= row.asOf) newest.set(row.series, row)
  }
  const all = [...newest.values()]
  if (all.length === 0) return []
  const kept = yield* sql`
    insert into latest as l (series, as_of, value, value_text, verify_url, read_url, recorded_at, confirmed_at, run,
      simulated)
    select series, as_of, value, value_text, verify_url, read_url, ${recordedAt}, ${recordedAt}, ${run}, ${simulated}
    from unnest(${ints(all.map(({ series }) => series))}, ${times(all.map(({ asOf }) => asOf))},
      ${doubles(all.map(({ row }) => row.value))}, ${texts(all.map(({ row }) => row.value_text ?? null))},
      ${texts(all.map(({ row }) => row.verify_url))}, ${texts(all.map(({ row }) => row.read_url ?? null))})
      as t(series, as_of, value, value_text, verify_url, read_url)
    on conflict (series) do update set as_of = excluded.as_of, value = excluded.value,
      value_text = excluded.value_text, verify_url = excluded.verify_url, read_url = excluded.read_url,
      recorded_at = case
        when l.as_of = excluded.as_of and l.value = excluded.value
          and l.value_text is not distinct from excluded.value_text
        then l.recorded_at else greatest(l.recorded_at, excluded.recorded_at) end,
      confirmed_at = greatest(l.confirmed_at, excluded.confirmed_at), run = excluded.run,
      simulated = excluded.simulated
    where excluded.as_of > l.as_of or (excluded.as_of = l.as_of and excluded.run >= l.run)
    returning series, confirmed_at`.pipe(latestRows)
  return kept.flatMap(({ confirmed_at, series }): ReadonlyArray<LatestRow> => {
    const of = newest.get(series)
    if (of === undefined) return []
    const { metric, read_url, source, symbol, unit, value, value_text, verify_url } = of.row
    return [
      {
        series,
        symbol,
        metric,
        source,
        plugin,
        tier,
        unit,
        value,
        value_text: value_text ?? null,
        verify_url,
        read_url: read_url ?? null,
        as_of: of.asOf,
        confirmed_at,
        simulated
      }
    ]
  })
})
