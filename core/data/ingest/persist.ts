/** Writes the classified rows of one chunk: readings, exclusions, revisions, days and each series' latest row. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { LatestRow } from "../read/Current.ts"
import type { VersionRow } from "../read/DayTable.ts"
import { oldestRecent, versionRows, writtenDay } from "../read/RecentDays.ts"
import { manyRowsOf } from "../rows.ts"
import { booleans, doubles, ints, texts, times } from "./arrays.ts"
import type { Classified, Known, Origin } from "./classify.ts"

const begunRows = manyRowsOf({
  series: Predicate.isNumber,
  date: Predicate.isString,
  incident: Predicate.isNumber
})
const latestRows = manyRowsOf({ series: Predicate.isNumber, confirmed_at: Predicate.isDate })

/** The runs of rows as arrays, and by row, from 1 on, which of them is its own: texts of a run are sent once. */
const originsOf = (rows: ReadonlyArray<Classified>) => {
  const places = new Map<Origin, number>()
  const from = rows.map((row) => {
    const place = places.get(row.from) ?? places.size + 1
    places.set(row.from, place)
    return place
  })
  const origins = [...places.keys()]
  return {
    from: ints(from),
    runs: texts(origins.map(({ run }) => run)),
    recordedAt: times(origins.map(({ recordedAt }) => recordedAt)),
    simulated: booleans(origins.map(({ simulated }) => simulated))
  }
}

/** Call in the transaction that classified the rows. Returns the resulting latest rows, and the recent days. */
export const persist = Effect.fnUntraced(function* (rows: ReadonlyArray<Classified>) {
  const fresh = rows.filter(({ version }) => version > 0)
  // None of them reads what another writes: the next statement is made while the server is at the one before it.
  const [, days, changed] = yield* Effect.all(
    fresh.length > 0
      ? [keepReadings(fresh), keepDays(fresh), keepLatest(rows)]
      : [Effect.void, Effect.succeed([]), keepLatest(rows)],
    { concurrency: 3 }
  )
  return {
    days,
    changed,
    fresh: fresh.length,
    /** Symbols with a new reading, whether or not it is the latest. */
    symbols: new Set(fresh.map(({ row }) => row.symbol)),
    revised: fresh.filter(({ before }) => before !== undefined).length,
    excluded: rows.filter(({ incident }) => incident > 0).length
  }
})

const keepReadings = Effect.fnUntraced(function* (fresh: ReadonlyArray<Classified>) {
  const sql = yield* SqlClient.SqlClient
  const { from, recordedAt, runs } = originsOf(fresh)
  yield* sql`
    insert into observation (series, as_of, version, value, value_text, recorded_at, run)
    select series, as_of, version, value, value_text, ${recordedAt}[origin], ${runs}[origin]
    from unnest(${ints(fresh.map(({ series }) => series))}, ${times(fresh.map(({ asOf }) => asOf))},
      ${ints(fresh.map(({ version }) => version))}, ${doubles(fresh.map(({ row }) => row.value))},
      ${texts(fresh.map(({ row }) => row.value_text ?? null))}, ${from})
      as t(series, as_of, version, value, value_text, origin)`

  const excluded = fresh.filter(({ incident }) => incident > 0)
  if (excluded.length > 0) {
    yield* sql`
      insert into exclusion (series, as_of, version, incident)
      select * from unnest(${ints(excluded.map(({ series }) => series))},
        ${times(excluded.map(({ asOf }) => asOf))}, ${ints(excluded.map(({ version }) => version))},
        ${ints(excluded.map(({ incident }) => incident))})`
  }
  for (const { asOf, before, from, row, series, version } of fresh) {
    if (before === undefined) continue
    yield* sql`insert into revision ${sql.insert({
      series,
      as_of: asOf,
      version,
      before_value: before.value,
      before_text: before.value_text,
      after_value: row.value,
      after_text: row.value_text ?? null,
      recorded_at: from.recordedAt,
      run: from.run,
      why: "the upstream restated it"
    })}`
  }
})

/** Counts the readings in their days. Returns the recent ones. */
const keepDays = Effect.fnUntraced(function* (fresh: ReadonlyArray<Classified>) {
  const days = yield* daysOf(fresh)
  const begun = yield* beginDays(days)
  const oldest = yield* oldestRecent
  const others = [...days].filter(([key]) => !begun.has(key)).map(([, day]) => day)
  return [...begun.values(), ...(others.length === 0 ? [] : yield* continueDays(others))].filter(
    ({ date }) => date >= oldest
  )
})

/** Writes the days that have no row yet, as most have that a run of the past tells of; by their keys. */
const beginDays = Effect.fnUntraced(function* (days: ReadonlyMap<string, Day>) {
  const sql = yield* SqlClient.SqlClient
  const begun = yield* sql`
    insert into daily (series, day, incident, version, as_of, value, value_text, n_observations, verify_url,
      recorded_at, simulated)
    select series, day, incident, 1, as_of, value, value_text, added, verify_url, recorded_at, simulated
    from (${daysAsRows(sql, [...days.values()])}) n
    on conflict do nothing
    returning series, day::text as date, incident`.pipe(begunRows)
  return new Map(
    begun.map(({ date, incident, series }): [string, VersionRow] => {
      const key = keyOf(series, Date.parse(date), incident)
      const day = days.get(key)
      if (day === undefined) throw new Error(`${key} was not written`)
      const { asOf, from, row } = day.newest
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
          simulated: from.simulated
        }
      ]
    })
  )
})

/** The days with their newest readings, as SQL has them. */
const daysAsRows = (sql: SqlClient.SqlClient, days: ReadonlyArray<Day>) => {
  const newest = days.map((day) => day.newest)
  const { from, recordedAt, simulated } = originsOf(newest)
  return sql`
      select series, (as_of at time zone 'UTC')::date as day, incident, as_of, value, value_text, verify_url, added,
        ${recordedAt}[origin] as recorded_at, ${simulated}[origin] as simulated
      from unnest(${ints(newest.map(({ series }) => series))}, ${ints(newest.map(({ incident }) => incident))},
        ${times(newest.map(({ asOf }) => asOf))}, ${doubles(newest.map(({ row }) => row.value))},
        ${texts(newest.map(({ row }) => row.value_text ?? null))},
        ${texts(newest.map(({ row }) => row.verify_url))}, ${ints(days.map(({ added }) => added))}, ${from})
        as t(series, incident, as_of, value, value_text, verify_url, added, origin)`
}

/** Adds to days that have a row: to the newest version, or to a new one where that is sealed. */
const continueDays = Effect.fnUntraced(function* (days: ReadonlyArray<Day>) {
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
      greatest(o.recorded_at, n.recorded_at), n.simulated
    from (${daysAsRows(sql, days)}) n left join lateral (
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
export const keepLatest = Effect.fnUntraced(function* (rows: ReadonlyArray<Classified>) {
  const sql = yield* SqlClient.SqlClient
  const newest = new Map<number, Classified>()
  for (const row of rows) {
    if (row.incident > 0 || !row.current) continue
    const before = newest.get(row.series)
    if (before === undefined || before.asOf <= row.asOf) newest.set(row.series, row)
  }
  const all = [...newest.values()]
  if (all.length === 0) return []
  const { from, recordedAt, runs, simulated } = originsOf(all)
  const kept = yield* sql`
    insert into latest as l (series, as_of, value, value_text, verify_url, read_url, recorded_at, confirmed_at, run,
      simulated)
    select series, as_of, value, value_text, verify_url, read_url, ${recordedAt}[origin], ${recordedAt}[origin],
      ${runs}[origin], ${simulated}[origin]
    from unnest(${ints(all.map(({ series }) => series))}, ${times(all.map(({ asOf }) => asOf))},
      ${doubles(all.map(({ row }) => row.value))}, ${texts(all.map(({ row }) => row.value_text ?? null))},
      ${texts(all.map(({ row }) => row.verify_url))}, ${texts(all.map(({ row }) => row.read_url ?? null))}, ${from})
      as t(series, as_of, value, value_text, verify_url, read_url, origin)
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
        plugin: of.from.manifest.id,
        tier: of.from.manifest.tier,
        unit,
        value,
        value_text: value_text ?? null,
        verify_url,
        read_url: read_url ?? null,
        as_of: of.asOf,
        confirmed_at,
        simulated: of.from.simulated
      }
    ]
  })
})
