/** Writes the days of new readings. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day as dayMs } from "../../../plugin/time.ts"
import { manyRowsOf } from "../../../sql/rows.ts"
import type { VersionRow } from "../../read/DayTable.ts"
import { oldestRecent, versionRows, writtenDay } from "../../read/RecentDays.ts"
import { doubles, ints, texts, times } from "../arrays.ts"
import type { Classified } from "../compare/classify.ts"
import { type DefinedDays, reasonOf } from "../compare/defined.ts"
import type { NewestVersion } from "../compare/newestVersions.ts"
import { originsOf } from "./origins.ts"

const begunRows = manyRowsOf({
  series: Predicate.isNumber,
  date: Predicate.isString,
  incident: Predicate.isNumber
})
/** Counts new readings in their days. Returns the recent ones. */
export const keepDays = Effect.fnUntraced(function* (days: ReadonlyMap<string, Day>, defined: DefinedDays) {
  const begun = yield* beginDays(days, defined)
  const oldest = yield* oldestRecent
  const others = [...days].filter(([key]) => !begun.has(key)).map(([, day]) => day)
  return [...begun.values(), ...(others.length === 0 ? [] : yield* continueDays(others))].filter(
    ({ date }) => date >= oldest
  )
})

/** Writes the days that have no row yet, as most have that a run of the past tells of; by their keys. */
const beginDays = Effect.fnUntraced(function* (days: ReadonlyMap<string, Day>, defined: DefinedDays) {
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
          as_of: new Date(asOf),
          verify_url: row.verify_url,
          simulated: from.simulated,
          by_definition: reasonOf(day.newest, defined)
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

/** New readings of a series on one day, under one incident or none. */
export interface Day {
  newest: Classified
  /** How many readings the day has not counted yet. */
  added: number
}

const keyOf = (series: number, at: number, incident: number): string =>
  `${series}|${Math.floor(at / dayMs)}|${incident}`

/** Notes a new reading in its day; `counted` if the day counts an earlier version of it (`isCounted`). */
export const countIn = (days: Map<string, Day>, reading: Classified, counted: boolean): void => {
  const { asOf, incident, series } = reading
  const added = counted ? 0 : 1
  const key = keyOf(series, asOf, incident)
  const day = days.get(key)
  if (day === undefined) days.set(key, { newest: reading, added })
  else {
    day.added += added
    if (day.newest.asOf < asOf) day.newest = reading
  }
}

/** Whether an earlier version of the reading is counted in the same place. */
export const isCounted = Effect.fnUntraced(function* (
  { asOf, incident, series }: Classified,
  before: NewestVersion
) {
  if (before.incident === incident) return true
  const sql = yield* SqlClient.SqlClient
  const earlier = yield* sql`
    select 1 from observation o
    where o.series = ${series} and o.as_of = ${new Date(asOf)} and o.version <= ${before.version} and coalesce((
      select min(e.incident) from exclusion e join incident c on c.id = e.incident
      where e.series = o.series and e.as_of = o.as_of and e.version = o.version and c.closed_at is null
    ), 0) = ${incident} limit 1`
  return earlier.length > 0
})
