/**
 * Days as they were served at an earlier time. A row of `daily` that was not rewritten since then says so itself. Other
 * days are rebuilt from their readings, which are kept for some months; after that only the recorded versions are left,
 * and those may lack what an open day said.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { rowsOf } from "../../sql/rows.ts"
import { ints, texts } from "../ingest/arrays.ts"
import { retainedFrom } from "../ingest/partitions.ts"
import { definedDay } from "./byDefinition.ts"
import { type DailyRow, dailyRows, dateOf, daysBetween, type Window } from "./days.ts"
import { dayHolds } from "./differing.ts"

/** A day of a series. */
export interface DayOfSeries {
  readonly series: number
  readonly date: string
}

/** For a reading `o` of a statement: the incident that excluded it at that time, or null. The time may be a column. */
export const excludedThen = (sql: SqlClient.SqlClient, at: Date | Fragment): Fragment => sql`(
    select min(e.incident) from exclusion e join incident i on i.id = e.incident
    where e.series = o.series and e.as_of = o.as_of and e.version = o.version
      and coalesce(e.since, i.opened_at) <= ${at} and (i.closed_at is null or i.closed_at > ${at})
  )`

const changedRows = rowsOf({ series: Schema.Int, date: Schema.String })

const datesBySeries = (days: ReadonlyArray<DayOfSeries>): ReadonlyMap<number, ReadonlyArray<string>> =>
  new Map(
    [...Map.groupBy(days, ({ series }) => series)].map(([id, all]) => [id, all.map(({ date }) => date)])
  )

/** Like `daysBetween`, with the days by series that were rebuilt, and those whose state at that time is uncertain. */
export const daysKnownAt = Effect.fn("Data.daysKnownAt")(function* (
  ids: ReadonlyArray<number>,
  window: Window & { readonly knownAt: number },
  limit: number
) {
  const changed = yield* changedSince(ids, window)
  const oldest = dateOf(yield* retainedFrom)
  const rebuildable = changed.filter(({ date }) => date >= oldest)
  const versions = yield* daysBetween(ids, window, limit)
  const rebuilt = yield* rebuild(rebuildable, window.knownAt)
  const again = new Set(rebuildable.map(({ date, series }) => `${series} ${date}`))
  const rows = [...versions.filter(({ date, series }) => !again.has(`${series} ${date}`)), ...rebuilt]
  return {
    rows: rows.sort(byIncidentAndDay),
    rebuilt: datesBySeries(rebuildable),
    uncertain: datesBySeries(changed.filter(({ date }) => date < oldest))
  }
})

const byIncidentAndDay = (a: DailyRow, b: DailyRow): number =>
  Number(a.incident > 0) - Number(b.incident > 0) ||
  a.series - b.series ||
  (a.date < b.date ? -1 : a.date > b.date ? 1 : 0)

/** These days from their versions, for readings that are gone. */
export const versionsOf = Effect.fnUntraced(function* (days: ReadonlyArray<DayOfSeries>, knownAt: number) {
  if (days.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select d.series, d.day::text as date, d.incident, d.value, d.value_text, d.n_observations, d.as_of, d.verify_url,
      d.simulated, ${sql.literal(definedDay)} as by_definition
    from unnest(${ints(days.map(({ series }) => series))}, ${texts(days.map(({ date }) => date))}::date[])
      as t(series, day) cross join lateral (
        select distinct on (incident) * from daily
        where series = t.series and day = t.day and recorded_at <= ${new Date(knownAt)}
        order by incident, version desc
      ) d where d.n_observations > 0 and ${yield* dayHolds}`.pipe(dailyRows)
})

/** Days of which some row was written after that time. */
const changedSince = Effect.fnUntraced(function* (
  ids: ReadonlyArray<number>,
  { from, knownAt, to }: Window & { readonly knownAt: number }
) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select distinct series, day::text as date from daily
    where series = any(${ints(ids)}) and day between ${dateOf(from)}::date and ${dateOf(to)}::date
      and recorded_at > ${new Date(knownAt)}
    order by series, date`.pipe(changedRows)
})

/** The days from the readings recorded by that time, each under the incident that excluded it then, or at `excludedAt`. */
export const rebuild = Effect.fnUntraced(function* (
  days: ReadonlyArray<DayOfSeries>,
  knownAt: number,
  excludedAt = knownAt
) {
  if (days.length === 0) return []
  const sql = yield* SqlClient.SqlClient
  const recordedUntil = new Date(knownAt)
  return yield* sql`
    with days as (
      select * from unnest(${ints(days.map(({ series }) => series))},
        ${texts(days.map(({ date }) => date))}::date[]) as t(series, day)
    ), readings as (
      -- Every version counts under what excluded it then, or as accepted; of several, the newest.
      select distinct on (series, as_of, incident) * from (
        select o.series, d.day, o.as_of, o.version, o.value, o.value_text,
          coalesce(${excludedThen(sql, new Date(excludedAt))}, 0) as incident
        from days d join observation o on o.series = d.series
          and o.as_of >= d.day::timestamp at time zone 'UTC'
          and o.as_of < (d.day + 1)::timestamp at time zone 'UTC' and o.recorded_at <= ${recordedUntil}
      ) v order by series, as_of, incident, version desc
    ), sums as (
      select series, day, incident, count(*)::int as n_observations,
        (array_agg(as_of order by as_of desc))[1] as as_of,
        (array_agg(value order by as_of desc))[1] as value,
        (array_agg(value_text order by as_of desc))[1] as value_text
      from readings group by 1, 2, 3
    )
    select d.series, d.day::text as date, d.incident, d.value, d.value_text, d.n_observations, d.as_of, t.verify_url,
      t.simulated, ${sql.literal(definedDay)} as by_definition
    from sums d cross join lateral (
      -- Readings have no address of their own; the row nearest to that time has it.
      select verify_url, simulated from daily k where k.series = d.series and k.day = d.day
      order by k.incident = d.incident desc, k.recorded_at <= ${recordedUntil} desc,
        case when k.recorded_at <= ${recordedUntil} then -k.version else k.version end limit 1
    ) t`.pipe(dailyRows)
})
