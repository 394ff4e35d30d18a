/**
 * Quality incidents: readings that are kept and flagged but not served until someone reviews them. Nothing is deleted:
 * opening and closing only move readings between "accepted" and "excluded by", and a day already sealed in a batch gets a
 * new version.
 */
import { Context, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../../clock/DataClock.ts"
import { day as dayMs } from "../../plugin/time.ts"
import { program } from "../../process/program.ts"
import { rowsOf } from "../../sql/rows.ts"
import { Changes } from "../Changes.ts"
import { Current } from "../read/Current.ts"
import type { VersionRow } from "../read/DayTable.ts"
import { RecentDays } from "../read/RecentDays.ts"
import { ints } from "./arrays.ts"
import { decideLevels, noteDoubts } from "./compare/standingsOfSeries.ts"
import { exclude, type Range, recompute } from "./write/exclusions.ts"
import { withWriterLock } from "./writerLock.ts"

/** An incident as operators see it, and as its row. */
export const Incident = Schema.Struct({
  id: Schema.Int,
  kind: Schema.Literals(["automatic", "manual"]),
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.NullOr(Schema.String),
  from_as_of: Schema.Date,
  to_as_of: Schema.Date,
  reason: Schema.String,
  opened_at: Schema.Date,
  closed_at: Schema.NullOr(Schema.Date),
  closing_note: Schema.NullOr(Schema.String)
})
export interface Incident extends Schema.Schema.Type<typeof Incident> {}

const incidentRows = rowsOf(Incident.fields)
const idRows = rowsOf({ id: Schema.Int })
const seriesRows = rowsOf({ series: Schema.Int })
const levelRows = rowsOf({ series: Schema.Int, run: Schema.String, value: Schema.Finite, as_of: Schema.Date })

export class IncidentUnknown extends Schema.TaggedError<IncidentUnknown>()("IncidentUnknown", {
  id: Schema.Int
}) {
  override get message() {
    return `no open incident ${this.id}; ${program} incident list shows the open ones`
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
     * Excludes one series' existing readings in a range, under its open automatic incident of this reason or a new one. Does
     * not exclude future readings. Returns the incident's number.
     */
    readonly hold: (
      range: Range & { readonly source: string },
      reason: string
    ) => Effect.Effect<number, SqlError>
    /** Closes an incident; its readings are accepted again. */
    readonly close: (id: number, note: string) => Effect.Effect<void, SqlError | IncidentUnknown>
    /** Closes an incident of a guard because its level settled: its readings are served, and both levels are in doubt. */
    readonly release: (id: number, note: string) => Effect.Effect<void, SqlError | IncidentUnknown>
    /** Notes that the causes of incidents are over. Their readings stay held, and nobody waits for them any longer. */
    readonly end: (ids: ReadonlyArray<number>, note: string) => Effect.Effect<void, SqlError>
    /** Says that what is served of a series is right, though its levels were in doubt. False if they are not. */
    readonly decide: (series: number) => Effect.Effect<boolean, SqlError>
    /** Newest first. */
    readonly list: (onlyOpen: boolean, limit: number) => Effect.Effect<ReadonlyArray<Incident>, SqlError>
  }
>()("core/readings/ingest/Incidents") {
  static readonly layer = Layer.effect(
    Incidents,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const current = yield* Current
      const recent = yield* RecentDays
      const changes = yield* Changes

      /** Changes readings under the writer lock and publishes the result. Returns the incident's number. */
      const changing = <E>(work: Effect.Effect<Changed, E, SqlClient.SqlClient>) =>
        serving(Effect.flatMap(work, ({ days, incident }) => publish(days, incident)))

      /** Does work under the writer lock whose changes are published once it is committed. */
      const serving = <A, E>(work: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        work.pipe(
          withWriterLock,
          changes.publishing,
          current.change,
          Effect.provideService(SqlClient.SqlClient, sql)
        )

      /** Records the change and publishes it once it is committed. */
      const publish = Effect.fnUntraced(function* (days: ReadonlyArray<VersionRow>, incident: number) {
        const touched = yield* sql`select distinct series from exclusion where incident = ${incident}
          order by series limit 100000`.pipe(seriesRows)
        yield* serveAgain(
          touched.map(({ series }) => series),
          days
        )
        return incident
      })

      /** Reads what is served of these series again, and publishes it with their days. */
      const serveAgain = Effect.fnUntraced(function* (
        ids: ReadonlyArray<number>,
        days: ReadonlyArray<VersionRow> = []
      ) {
        const { gone, rows, symbols } = yield* current.read(ids)
        const recorded = yield* changes.record(
          ["incidents", "reads", "symbols", "networks", ...symbols.map((symbol) => ({ symbol }))],
          [...ids, ...days.map(({ series }) => series)]
        )
        yield* sql.afterCommit(Effect.andThen(recent.apply({ days }), current.apply(rows, gone, recorded)))
      })

      const open = Effect.fn("Incidents.open")(function* (range: Range, reason: string) {
        const [from, to] = [new Date(range.from), new Date(range.to)]
        if (range.from > range.to) {
          return yield* new RangeEmpty({ message: "the range must not end before it starts" })
        }
        return yield* Effect.gen(function* () {
          const now = new Date(yield* DataClock.now)
          const series =
            yield* sql`select 1 from series where symbol = ${range.symbol} and metric = ${range.metric}
            and (${range.source ?? null}::text is null or source = ${range.source ?? null}) limit 1`
          if (series.length === 0) {
            const of = range.source === undefined ? "" : ` from ${range.source}`
            return yield* new RangeEmpty({
              message: `no readings of ${range.metric} for ${range.symbol}${of}; /v1/network/<symbol> lists a network's metrics and sources`
            })
          }
          const [inserted] = yield* sql`insert into incident ${sql.insert({
            kind: "manual",
            symbol: range.symbol,
            metric: range.metric,
            source: range.source ?? null,
            from_as_of: from,
            to_as_of: to,
            reason,
            opened_at: now
          })} returning id`.pipe(idRows)
          const incident = inserted?.id ?? 0
          return { incident, days: yield* exclude(incident, range, now) }
        }).pipe(changing)
      })

      const hold = Effect.fn("Incidents.hold")(function* (
        range: Range & { readonly source: string },
        reason: string
      ) {
        const { metric, source, symbol } = range
        const [from, to] = [new Date(range.from), new Date(range.to)]
        return yield* Effect.gen(function* () {
          const now = new Date(yield* DataClock.now)
          const [existing] = yield* sql`
            update incident set from_as_of = least(from_as_of, ${from}), to_as_of = greatest(to_as_of, ${to})
            where id = (
              select min(id) from incident where kind = 'automatic' and closed_at is null
                and symbol = ${symbol} and metric = ${metric} and source = ${source} and reason = ${reason}
                -- The log says on which day it began.
                and from_as_of < ${new Date((Math.floor(range.from / dayMs) + 1) * dayMs)}
            ) returning id`.pipe(idRows)
          const [row] =
            existing === undefined
              ? yield* sql`insert into incident ${sql.insert({
                  kind: "automatic",
                  symbol,
                  metric,
                  source,
                  from_as_of: from,
                  to_as_of: to,
                  reason,
                  opened_at: now
                })} returning id`.pipe(idRows)
              : [existing]
          const incident = row?.id ?? 0
          return { incident, days: yield* exclude(incident, range, now) }
        }).pipe(changing)
      })

      const close = Effect.fn("Incidents.close")(function* (id: number, note: string) {
        yield* Effect.gen(function* () {
          const now = new Date(yield* DataClock.now)
          const closed = yield* sql`
            update incident set closed_at = ${now}, closing_note = ${note}
            where id = ${id} and closed_at is null returning id`
          if (closed.length === 0) return yield* new IncidentUnknown({ id })
          return { incident: id, days: yield* recompute(id, now) }
        }).pipe(changing)
      })

      const release = Effect.fn("Incidents.release")(function* (id: number, note: string) {
        yield* Effect.gen(function* () {
          const now = new Date(yield* DataClock.now)
          const [before] = yield* latestOf(id)
          const closed = yield* sql`
            update incident set closed_at = ${now}, closing_note = ${note}
            where id = ${id} and closed_at is null returning id`
          if (closed.length === 0) return yield* new IncidentUnknown({ id })
          const days = yield* recompute(id, now)
          const [after] = yield* latestOf(id)
          // Without a value before there are no two levels.
          if (before !== undefined && after !== undefined)
            yield* noteDoubts([{ ...after, before: before.level, after: after.level }])
          return { incident: id, days }
        }).pipe(changing)
      })

      /** What is served of the series of an incident. */
      const latestOf = (id: number) =>
        sql`
          select l.series, l.run, l.value, l.as_of from incident i
            join series s on s.symbol = i.symbol and s.metric = i.metric and s.source = i.source
            join latest l on l.series = s.id
          where i.id = ${id} limit 1`.pipe(
          levelRows,
          Effect.map((rows) =>
            rows.map(({ as_of, run, series, value }) => ({
              series,
              run,
              level: { value, asOf: as_of.getTime() }
            }))
          )
        )

      const end = Effect.fn("Incidents.end")(function* (ids: ReadonlyArray<number>, note: string) {
        yield* Effect.gen(function* () {
          const ended = yield* sql`
            with over as (
              update incident set over_at = ${new Date(yield* DataClock.now)}, over_note = ${note}
              where id = any(${ints(ids)}) and closed_at is null and over_at is null
              returning symbol, metric, source
            )
            select s.id as series from over o
              join series s on s.symbol = o.symbol and s.metric = o.metric and s.source = o.source`.pipe(
            seriesRows
          )
          yield* serveAgain(ended.map(({ series }) => series))
        }).pipe(serving)
      })

      const decide = Effect.fn("Incidents.decide")(function* (series: number) {
        return yield* Effect.gen(function* () {
          const decided = yield* decideLevels([{ series }], "operator")
          if (decided.length > 0) yield* serveAgain(decided)
          return decided.length > 0
        }).pipe(serving)
      })

      const list = (onlyOpen: boolean, limit: number) =>
        sql`
          select id, kind, symbol, metric, source, from_as_of, to_as_of, reason, opened_at, closed_at, closing_note
          from incident where not ${onlyOpen} or closed_at is null order by id desc limit ${limit}`.pipe(
          incidentRows
        )

      return Incidents.of({ open, hold, close, release, end, decide, list })
    })
  ).pipe(Layer.provide(Changes.layer))
}

/** What a change of an incident wrote. */
interface Changed {
  readonly incident: number
  readonly days: ReadonlyArray<VersionRow>
}
