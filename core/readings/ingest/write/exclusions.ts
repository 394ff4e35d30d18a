/** What an incident excludes, and what is left to serve: the days and latest rows of the readings that are accepted. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { oldestRecent, versionRows, writtenDay } from "../../read/RecentDays.ts"
import * as partitions from "../partitions.ts"

/** The readings an incident covers; without `source`, those of all sources. Epoch milliseconds, inclusive. */
export interface Range {
  readonly symbol: string
  readonly metric: string
  readonly source?: string
  readonly from: number
  readonly to: number
}

/** End of a range without one, epoch milliseconds. */
export const endless = Date.UTC(2999, 0)

/** Adds the readings of a range to the incident. Returns the recent days that this changed. */
export const exclude = Effect.fnUntraced(function* (incident: number, range: Range, now: Date) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into exclusion (series, as_of, version, incident, since)
    select o.series, o.as_of, o.version, ${incident}::int, ${now}
    from series s join observation o on o.series = s.id
    where s.symbol = ${range.symbol} and s.metric = ${range.metric}
      and (${range.source ?? null}::text is null or s.source = ${range.source ?? null})
      and o.as_of between ${new Date(range.from)} and ${new Date(range.to)}
    on conflict do nothing`
  return yield* recompute(incident, now)
})

/** Recomputes `daily` and `latest` for every reading in the incident. Returns the recent days that it wrote. */
export const recompute = Effect.fnUntraced(function* (incident: number, now: Date) {
  const retainedFrom = new Date(yield* partitions.retainedFrom)
  const days = yield* recomputeDays(incident, retainedFrom, now)
  yield* recomputeLatest(incident, retainedFrom)
  return days
})

const recomputeDays = Effect.fnUntraced(function* (incident: number, keptFrom: Date, now: Date) {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    -- Days whose readings were dropped when they had served their time stay as they were published.
    with days as materialized (
      select distinct series, (as_of at time zone 'UTC')::date as day from exclusion
      where incident = ${incident} and as_of >= ${keptFrom}
    ), readings as (
      -- Every version is counted under what excludes it, or as accepted; of several, the newest.
      select distinct on (series, as_of, incident) * from (
        select o.series, d.day, o.as_of, o.version, o.value, o.value_text, x.verify_url,
          coalesce((
            select min(e.incident) from exclusion e join incident i on i.id = e.incident
            where e.series = o.series and e.as_of = o.as_of and e.version = o.version and i.closed_at is null
          ), 0) as incident
        from days d join observation o on o.series = d.series
          and o.as_of >= d.day::timestamp at time zone 'UTC'
          and o.as_of < (d.day + 1)::timestamp at time zone 'UTC'
        left join reading_row x on x.series = o.series and x.as_of = o.as_of and x.version = o.version
      ) v order by series, as_of, incident, version desc
    ), sums as (
      select series, day, incident, count(*)::int as n,
        (array_agg(as_of order by as_of desc))[1] as as_of,
        (array_agg(value order by as_of desc))[1] as value,
        (array_agg(value_text order by as_of desc))[1] as value_text,
        (array_agg(verify_url order by as_of desc))[1] as verify_url
      from readings group by 1, 2, 3
    ), stood as (
      select distinct on (k.series, k.day, k.incident) k.* from daily k
      join days d on d.series = k.series and d.day = k.day
      order by k.series, k.day, k.incident, k.version desc
    ), kept as (insert into daily as d (series, day, incident, version, as_of, value, value_text, n_observations,
      verify_url, recorded_at, simulated)
    select coalesce(s.series, o.series), coalesce(s.day, o.day), coalesce(s.incident, o.incident),
      case when o.version is null then 1 when o.sealed_by is null then o.version else o.version + 1 end,
      coalesce(s.as_of, o.as_of), coalesce(s.value, o.value),
      case when s.series is null then o.value_text else s.value_text end,
      -- No reading is left: the row stands at none, and history and lists pass over it.
      coalesce(s.n, 0),
      -- Readings of earlier versions do not say their address: then that of a row which shows the same reading.
      coalesce(
        s.verify_url,
        (select t.verify_url from stood t where t.series = s.series and t.as_of = s.as_of limit 1),
        case when s.series is not null then (select first_url from series r where r.id = s.series) end,
        o.verify_url,
        (select t.verify_url from stood t where t.series = s.series limit 1)
      ),
      greatest(${now}::timestamptz, o.recorded_at),
      coalesce(o.simulated, (select simulated from stood t where t.series = s.series limit 1))
    from sums s full join stood o
      on o.series = s.series and o.day = s.day and o.incident = s.incident
    where (s.series is null and o.n_observations > 0) or o.series is null
      or s.n <> o.n_observations or s.as_of <> o.as_of or s.value <> o.value
      or s.value_text is distinct from o.value_text
    on conflict (series, day, incident, version) do update set as_of = excluded.as_of,
      value = excluded.value, value_text = excluded.value_text, n_observations = excluded.n_observations,
      verify_url = excluded.verify_url, recorded_at = excluded.recorded_at, readings_sha256 = null
    returning ${writtenDay(sql)})
    select * from kept where date >= ${yield* oldestRecent}`.pipe(versionRows)
})

const recomputeLatest = Effect.fnUntraced(function* (incident: number, keptFrom: Date) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    -- A row that a preview shows ahead of its reading stays: no incident has taken that reading up.
    with touched as materialized (
      select series from (
        select distinct series from exclusion where incident = ${incident} and as_of >= ${keptFrom}
      ) x where not exists (
        select 1 from latest l where l.series = x.series and l.as_of > (
          select max(o.as_of) from observation o where o.series = l.series
        )
      )
    ), accepted as (
      select t.series, o.as_of, o.value, o.value_text, o.recorded_at, o.run,
        (
          select x.verify_url from reading_row x
          where x.series = o.series and x.as_of = o.as_of and x.version = o.version
        ) as verify_url
      from touched t left join lateral (
        select * from observation o
        where o.series = t.series and not exists (
          select 1 from exclusion e join incident i on i.id = e.incident
          where e.series = o.series and e.as_of = o.as_of and e.version = o.version and i.closed_at is null
        ) order by o.as_of desc, o.version desc limit 1
      ) o on true
    ), gone as (
      delete from latest using accepted a where latest.series = a.series and a.as_of is null
    )
    insert into latest as l (series, as_of, value, value_text, verify_url, recorded_at, confirmed_at, run,
      simulated)
    select a.series, a.as_of, a.value, a.value_text,
      coalesce(
        a.verify_url,
        (select k.verify_url from daily k where k.series = a.series
          and k.day = (a.as_of at time zone 'UTC')::date and k.as_of = a.as_of limit 1),
        (select first_url from series r where r.id = a.series),
        d.verify_url
      ), a.recorded_at, a.recorded_at, a.run, d.simulated
    from accepted a join lateral (
      select verify_url, simulated from daily d where d.series = a.series order by day desc limit 1
    ) d on true
    where a.as_of is not null
    on conflict (series) do update set as_of = excluded.as_of, value = excluded.value,
      value_text = excluded.value_text, verify_url = excluded.verify_url, recorded_at = excluded.recorded_at,
      run = excluded.run
    where l.as_of <> excluded.as_of or l.value <> excluded.value
      or l.value_text is distinct from excluded.value_text`
})
