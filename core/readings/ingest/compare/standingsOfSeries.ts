/**
 * What holds of single series: which are young, which a second source confirmed, and of which two levels are in doubt. Each change
 * becomes part of a document of feeds in the log (`core/log/feedChanges.ts`).
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../../clock/DataClock.ts"
import { day as dayMs } from "../../../plugin/time.ts"
import { isoTime } from "../../../plugin/Value.ts"
import type { Compared } from "../../../proof/feeds.ts"
import { rowsOf } from "../../../sql/rows.ts"
import { LevelInDoubt } from "../../read/heldBeside.ts"
import { ints } from "../arrays.ts"
import type { Candidate } from "../candidate.ts"
import type { SecondReading } from "./pasts.ts"
import { fewestDays, isOfLevel } from "./scale.ts"

/** Marks series that a run made as young for a week. Series that are marked already are left out. */
export const markYoung = Effect.fnUntraced(function* (run: string, series: ReadonlyArray<number>) {
  if (series.length === 0) return
  const sql = yield* SqlClient.SqlClient
  const now = yield* DataClock.now
  yield* sql`
    insert into series_standing (plugin, code_hash, state, run, series, since, until)
    select r.plugin, r.code_hash, 'young', r.id, fresh.series, ${new Date(now)}, ${new Date(now + fewestDays * dayMs)}
    from run r cross join (
      select array_agg(u.series order by u.series) as series from unnest(${ints(series)}) as u(series)
      where not exists (
        select 1 from series_standing y where y.state = 'young' and y.series @> array[u.series]
      )
    ) fresh
    where r.id = ${run} and fresh.series is not null`
})

/** A value of a level; `asOf` in epoch milliseconds. */
export interface Level {
  readonly value: number
  readonly asOf: number
}

/** A released level: the last accepted value of the other one, and what is served now, by the run that gave it. */
export interface Doubt {
  readonly series: number
  readonly run: string
  readonly before: Level
  readonly after: Level
}

const doubtRows = rowsOf({ stated: LevelInDoubt })

/** Notes that two levels of series are in doubt, unless these two are already. */
export const noteDoubts = Effect.fnUntraced(function* (doubts: ReadonlyArray<Doubt>) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* DataClock.now)
  for (const { after, before, run, series } of doubts) {
    const open = yield* sql`
      select stated from series_standing
      where state = 'level in doubt' and until is null and series @> array[${series}::int] order by id limit 100`.pipe(
      doubtRows
    )
    const isNamed = (value: number) =>
      open.some(({ stated }) => isOfLevel(value, stated.before.value) || isOfLevel(value, stated.after.value))
    if (isNamed(before.value) && isNamed(after.value)) continue
    const stated: LevelInDoubt = {
      since: isoTime(now.getTime()),
      before: { value: before.value, as_of: isoTime(before.asOf) },
      after: { value: after.value, as_of: isoTime(after.asOf) }
    }
    yield* sql`
      insert into series_standing (plugin, code_hash, state, run, series, since, stated)
      select plugin, code_hash, 'level in doubt', id, ${ints([series])}, ${now}, ${JSON.stringify(stated)}::text::jsonb
      from run where id = ${run}`
  }
})

/** A row with the second source that agrees with it. */
export interface Agreed {
  readonly candidate: Candidate
  readonly second: SecondReading
}

const comparedOf = ({ candidate: { asOf, row }, second }: Agreed): Compared => ({
  symbol: row.symbol,
  metric: row.metric,
  source: row.source,
  value: row.value,
  as_of: isoTime(asOf),
  second: {
    plugin: second.plugin,
    metric: second.metric,
    source: second.source,
    value: second.value,
    as_of: isoTime(second.asOf)
  },
  tolerance: second.tolerance
})

/** Confirms the series that agree with their second sources, and no others, with what was compared. */
export const confirmSeries = Effect.fnUntraced(function* (agreed: ReadonlyArray<Agreed>) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* DataClock.now)
  for (const [run, of] of Map.groupBy(agreed, ({ candidate }) => candidate.from.run)) {
    yield* sql`
      insert into series_standing (plugin, code_hash, state, how, run, series, since, stated)
      select plugin, code_hash, 'confirmed', 'second source', id, ${ints(of.map(({ candidate }) => candidate.series))},
        ${now}, ${JSON.stringify(of.map(comparedOf))}::text::jsonb
      from run where id = ${run}`
  }
})

/** Confirms series that a person looked at, for the reason that he gives. */
export const confirmByOperator = Effect.fnUntraced(function* (
  plugin: string,
  codeHash: string,
  series: ReadonlyArray<number>,
  reason: string
) {
  const sql = yield* SqlClient.SqlClient
  const since = new Date(yield* DataClock.now)
  yield* sql`
    insert into series_standing (plugin, code_hash, state, how, series, since, reason)
    values (${plugin}, ${codeHash}, 'confirmed', 'operator', ${ints(series)}, ${since}, ${reason})`
})

/**
 * Ends the doubt about the levels of these series: what is served now is the right one. Returns those that were in doubt. Call it in
 * the transaction that changes what is served.
 */
export const decideLevels = Effect.fnUntraced(function* (
  decided: ReadonlyArray<{ readonly series: number; readonly agreed?: Agreed | undefined }>,
  how: "operator" | "second source"
) {
  const sql = yield* SqlClient.SqlClient
  const now = new Date(yield* DataClock.now)
  const ended: Array<number> = []
  for (const { agreed, series } of decided) {
    const open = yield* sql`
      update series_standing set until = ${now}
      where state = 'level in doubt' and until is null and series @> array[${series}::int] returning id`
    if (open.length === 0) continue
    ended.push(series)
    const stated = agreed === undefined ? null : JSON.stringify([comparedOf(agreed)])
    yield* sql`
      insert into series_standing (plugin, code_hash, state, how, run, series, since, stated)
      select plugin, code_hash, 'level decided', ${how}, ${agreed?.candidate.from.run ?? null}, ${ints([series])},
        ${now}, ${stated}::text::jsonb
      from series_standing where state = 'level in doubt' and series @> array[${series}::int] order by id desc limit 1`
  }
  return ended
})

const confirmedRows = rowsOf({ plugin: Schema.String, series: Schema.Array(Schema.Int) })

/** Of unconfirmed feeds, the series that a second source or a person confirmed for the code that they run with. */
export const agreedOf = Effect.fnUntraced(function* (standings: ReadonlyMap<string, string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select plugin, series from series_standing where state = 'confirmed'
      and (plugin, code_hash) in (select * from jsonb_each_text(${JSON.stringify(Object.fromEntries(standings))}::text::jsonb))
    order by id limit 100000`.pipe(confirmedRows)
  return new Map(
    [...standings.keys()].map((plugin) => [
      plugin,
      new Set(rows.filter((row) => row.plugin === plugin).flatMap(({ series }) => series))
    ])
  )
})
