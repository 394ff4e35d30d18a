/**
 * Quality incidents: readings that are kept and flagged but not served until someone reviews them. Nothing is deleted:
 * opening and closing only move readings between "accepted" and "excluded by", and a day already sealed in a batch gets a
 * new version.
 */
import { Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../DataClock.ts"
import { Current, type LatestRow } from "../read/Current.ts"
import * as partitions from "./partitions.ts"
import { withWriterLock } from "./writerLock.ts"

/** An incident as operators see it. Times are ISO 8601 UTC. */
export interface Incident {
  readonly id: number
  readonly kind: "automatic" | "manual"
  readonly symbol: string
  readonly metric: string
  readonly source: string | null
  readonly from_as_of: Date
  readonly to_as_of: Date
  readonly reason: string
  readonly opened_at: Date
  readonly closed_at: Date | null
  readonly closing_note: string | null
}

/** The readings an incident covers; without `source`, those of all sources. Epoch milliseconds, inclusive. */
export interface Range {
  readonly symbol: string
  readonly metric: string
  readonly source?: string
  readonly from: number
  readonly to: number
}

export class IncidentUnknown extends Schema.TaggedError<IncidentUnknown>()("IncidentUnknown", {
  id: Schema.Int
}) {
  override get message() {
    return `no open incident ${this.id}; plumbline incident list shows the open ones`
  }
}

/** The range matches no series, or ends before it starts, so an incident could never exclude anything. */
export class RangeEmpty extends Schema.TaggedError<RangeEmpty>()("RangeEmpty", {
  message: Schema.String
}) {}

export class Incidents extends Context.Service<
  Incidents,
  {
    /** Excludes the readings of a range, including future ones; returns the incident's number. */
    readonly open: (range: Range, reason: string) => Effect.Effect<number, SqlError | RangeEmpty>
    /**
     * Excludes one series' existing readings in a range, under its open automatic incident or a new one. Does not exclude
     * future readings. Returns the incident's number.
     */
    readonly hold: (
      range: Range & { readonly source: string },
      reason: string
    ) => Effect.Effect<number, SqlError>
    /** Closes an incident; its readings are accepted again. */
    readonly close: (id: number, note: string) => Effect.Effect<void, SqlError | IncidentUnknown>
    /** Newest first. */
    readonly list: (onlyOpen: boolean, limit: number) => Effect.Effect<ReadonlyArray<Incident>, SqlError>
  }
>()("core/data/ingest/Incidents") {
  static readonly layer = Layer.effect(
    Incidents,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const current = yield* Current

      /** Changes readings under the writer lock and publishes the result. */
      const changing = <A, E>(
        work: Effect.Effect<A, E, SqlClient.SqlClient>,
        incident: (done: A) => number
      ) =>
        withWriterLock(work).pipe(
          Effect.tap((done) => refresh(incident(done))),
          current.change,
          Effect.provideService(SqlClient.SqlClient, sql)
        )

      const open = Effect.fn("Incidents.open")(function* (range: Range, reason: string) {
        const now = new Date(yield* DataClock.now)
        const [from, to] = [new Date(range.from), new Date(range.to)]
        if (range.from > range.to) {
          return yield* new RangeEmpty({ message: "the range must not end before it starts" })
        }
        return yield* Effect.gen(function* () {
          const known =
            yield* sql`select 1 from series where symbol = ${range.symbol} and metric = ${range.metric}
            and (${range.source ?? null}::text is null or source = ${range.source ?? null}) limit 1`
          if (known.length === 0) {
            const of = range.source === undefined ? "" : ` from ${range.source}`
            return yield* new RangeEmpty({
              message: `no readings of ${range.metric} for ${range.symbol}${of}; /v1/network/<symbol> lists a network's metrics and sources`
            })
          }
          const [made] = yield* sql<{ id: number }>`insert into incident ${sql.insert({
            kind: "manual",
            symbol: range.symbol,
            metric: range.metric,
            source: range.source ?? null,
            from_as_of: from,
            to_as_of: to,
            reason,
            opened_at: now
          })} returning id`
          const incident = made?.id ?? 0
          yield* exclude(incident, range, now)
          return incident
        }).pipe((work) => changing(work, (id) => id))
      })

      const hold = Effect.fn("Incidents.hold")(function* (
        range: Range & { readonly source: string },
        reason: string
      ) {
        const now = new Date(yield* DataClock.now)
        const { metric, source, symbol } = range
        const [from, to] = [new Date(range.from), new Date(range.to)]
        return yield* Effect.gen(function* () {
          const [known] = yield* sql<{ id: number }>`
            update incident set from_as_of = least(from_as_of, ${from}), to_as_of = greatest(to_as_of, ${to})
            where id = (
              select min(id) from incident where kind = 'automatic' and closed_at is null
                and symbol = ${symbol} and metric = ${metric} and source = ${source}
            ) returning id`
          const [made] =
            known === undefined
              ? yield* sql<{ id: number }>`insert into incident ${sql.insert({
                  kind: "automatic",
                  symbol,
                  metric,
                  source,
                  from_as_of: from,
                  to_as_of: to,
                  reason,
                  opened_at: now
                })} returning id`
              : [known]
          const incident = made?.id ?? 0
          yield* exclude(incident, range, now)
          return incident
        }).pipe((work) => changing(work, (id) => id))
      })

      /** Adds the readings of a range to the incident. */
      const exclude = Effect.fnUntraced(function* (incident: number, range: Range, now: Date) {
        yield* sql`
          insert into exclusion (series, as_of, version, incident)
          select o.series, o.as_of, o.version, ${incident}::int
          from series s join observation o on o.series = s.id
          where s.symbol = ${range.symbol} and s.metric = ${range.metric}
            and (${range.source ?? null}::text is null or s.source = ${range.source ?? null})
            and o.as_of between ${new Date(range.from)} and ${new Date(range.to)}
          on conflict do nothing`
        yield* recompute(incident, now)
      })

      const close = Effect.fn("Incidents.close")(function* (id: number, note: string) {
        const now = new Date(yield* DataClock.now)
        yield* Effect.gen(function* () {
          const closed = yield* sql`
            update incident set closed_at = ${now}, closing_note = ${note}
            where id = ${id} and closed_at is null returning id`
          if (closed.length === 0) return yield* new IncidentUnknown({ id })
          yield* recompute(id, now)
        }).pipe((work) => changing(work, () => id))
      })

      /** Recomputes `daily` and `latest` for every reading in the incident. */
      const recompute = Effect.fnUntraced(function* (incident: number, now: Date) {
        const keptFrom = new Date(yield* partitions.keptFrom)
        yield* sql`
          -- Days whose readings were dropped when they had served their time stay as they were published.
          with days as materialized (
            select distinct series, (as_of at time zone 'UTC')::date as day from exclusion
            where incident = ${incident} and as_of >= ${keptFrom}
          ), readings as (
            -- Every version is counted under what excludes it, or as accepted; of several, the newest.
            select distinct on (series, as_of, incident) * from (
              select o.series, d.day, o.as_of, o.version, o.value, o.value_text,
                coalesce((
                  select min(e.incident) from exclusion e join incident i on i.id = e.incident
                  where e.series = o.series and e.as_of = o.as_of and e.version = o.version and i.closed_at is null
                ), 0) as incident
              from days d join observation o on o.series = d.series
                and o.as_of >= d.day::timestamp at time zone 'UTC'
                and o.as_of < (d.day + 1)::timestamp at time zone 'UTC'
            ) v order by series, as_of, incident, version desc
          ), sums as (
            select series, day, incident, count(*)::int as n,
              (array_agg(as_of order by as_of desc))[1] as as_of,
              (array_agg(value order by as_of desc))[1] as value,
              (array_agg(value_text order by as_of desc))[1] as value_text
            from readings group by 1, 2, 3
          ), stood as (
            select distinct on (k.series, k.day, k.incident) k.* from daily k
            join days d on d.series = k.series and d.day = k.day
            order by k.series, k.day, k.incident, k.version desc
          )
          insert into daily as k (series, day, incident, version, as_of, value, value_text, n_observations,
            verify_url, recorded_at, simulated)
          select coalesce(s.series, o.series), coalesce(s.day, o.day), coalesce(s.incident, o.incident),
            case when o.version is null then 1 when o.sealed_by is null then o.version else o.version + 1 end,
            coalesce(s.as_of, o.as_of), coalesce(s.value, o.value),
            case when s.series is null then o.value_text else s.value_text end,
            -- No reading is left: the row stands at none, and history and lists pass over it.
            coalesce(s.n, 0),
            coalesce(o.verify_url, (select verify_url from stood t where t.series = s.series limit 1)),
            ${now}, coalesce(o.simulated, (select simulated from stood t where t.series = s.series limit 1))
          from sums s full join stood o
            on o.series = s.series and o.day = s.day and o.incident = s.incident
          where s.series is null or o.series is null
            or s.n <> o.n_observations or s.as_of <> o.as_of or s.value <> o.value
            or s.value_text is distinct from o.value_text
          on conflict (series, day, incident, version) do update set as_of = excluded.as_of,
            value = excluded.value, value_text = excluded.value_text, n_observations = excluded.n_observations,
            recorded_at = excluded.recorded_at, readings_sha256 = null`
        yield* sql`
          with touched as materialized (
            select distinct series from exclusion where incident = ${incident} and as_of >= ${keptFrom}
          ), accepted as (
            select t.series, o.as_of, o.value, o.value_text, o.recorded_at, o.run
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
          select a.series, a.as_of, a.value, a.value_text, d.verify_url, a.recorded_at, a.recorded_at, a.run,
            d.simulated
          from accepted a join lateral (
            select verify_url, simulated from daily d where d.series = a.series order by day desc limit 1
          ) d on true
          where a.as_of is not null
          on conflict (series) do update set as_of = excluded.as_of, value = excluded.value,
            value_text = excluded.value_text, recorded_at = excluded.recorded_at, run = excluded.run
          where l.as_of <> excluded.as_of or l.value <> excluded.value
            or l.value_text is distinct from excluded.value_text`
      })

      const refresh = Effect.fnUntraced(function* (incident: number) {
        const rows = yield* sql<LatestRow & { readonly there: boolean }>`
          select t.series, s.symbol, s.metric, s.source, s.plugin, s.tier, s.unit, l.value, l.value_text,
            l.verify_url, l.read_url, l.as_of, l.confirmed_at, l.simulated, l.series is not null as there
          from (select distinct series from exclusion where incident = ${incident}) t
            join series s on s.id = t.series left join latest l on l.series = t.series
          limit 100000`
        yield* current.apply(
          rows.filter(({ there }) => there),
          rows.filter(({ there }) => !there).map(({ series }) => series)
        )
      })

      const list = (onlyOpen: boolean, limit: number) =>
        sql<Incident>`
          select id, kind, symbol, metric, source, from_as_of, to_as_of, reason, opened_at, closed_at, closing_note
          from incident where not ${onlyOpen} or closed_at is null order by id desc limit ${limit}`

      return Incidents.of({ open, hold, close, list })
    })
  )
}
