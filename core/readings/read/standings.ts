/**
 * What holds of each feed and of single series: whether somebody or something has confirmed that the feed reads its upstream right,
 * which of its series a second source confirmed, and of which two levels are in doubt.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { rowsOf } from "../../sql/rows.ts"

/**
 * What a confirmation rests on. `kept`: another code was confirmed before, and this one reads the same. `second source`: of single
 * series alone; a feed has it from earlier versions. The feeds of the replay are confirmed by definition, and have no row.
 */
export const How = Schema.Literals(["case", "operator", "second source", "kept"])
export type How = typeof How.Type

/** What holds of a feed, and for which code. `how` is null exactly of an unconfirmed one. */
export const Standing = Schema.Struct({
  code_hash: Schema.String,
  state: Schema.Literals(["unconfirmed", "confirmed"]),
  how: Schema.NullOr(How),
  since: Schema.Date
})
export interface Standing extends Schema.Schema.Type<typeof Standing> {}

const standingRows = rowsOf({ plugin: Schema.String, ...Standing.fields })

/** The newest standing of each plugin, or that of an earlier time, for a statement's `from`. */
export const standingOfFeeds = (sql: SqlClient.SqlClient, knownAt?: Date): Statement.Fragment => sql`(
    select distinct on (plugin) plugin, code_hash, state, how, since from feed_confirmation
    where ${knownAt ?? null}::timestamptz is null or since <= ${knownAt ?? null}::timestamptz
    order by plugin, id desc
  )`

/** By plugin, now or at an earlier time; a feed that had not run is absent. */
export const standings = Effect.fnUntraced(function* (knownAt?: Date) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select * from ${standingOfFeeds(sql, knownAt)} f order by plugin limit 10000`.pipe(
    standingRows
  )
  return new Map(rows.map(({ plugin, ...standing }): [string, Standing] => [plugin, standing]))
})

/**
 * Whether a series `s` of a statement is unconfirmed, now or at an earlier time: its feed is, and no second source agreed with it; or
 * two of its levels are in doubt. `joins` go into its `from`, `column` says it.
 */
export const unconfirmedSeries = (sql: SqlClient.SqlClient, knownAt?: Date) => {
  const at = knownAt ?? null
  return {
    joins: sql`
      left join ${standingOfFeeds(sql, knownAt)} f on f.plugin = s.plugin
      left join (
        select distinct u.series, c.code_hash from series_standing c, unnest(c.series) as u(series)
        where c.state = 'confirmed' and (${at}::timestamptz is null or c.since <= ${at}::timestamptz)
      ) agreed on agreed.series = s.id and agreed.code_hash = f.code_hash
      left join ${doubts(sql, knownAt)} doubt on doubt.series = s.id`,
    column: sql`(coalesce(f.state = 'unconfirmed' and agreed.series is null, false) or doubt.series is not null)`
  }
}

/** The newest doubt of each series of which two levels are in doubt, now or at an earlier time, for a statement's `from`. */
export const doubts = (sql: SqlClient.SqlClient, knownAt?: Date): Statement.Fragment => {
  const at = knownAt ?? null
  return sql`(
    select distinct on (u.series) u.series, d.since, d.stated from series_standing d, unnest(d.series) as u(series)
    where d.state = 'level in doubt' and case when ${at}::timestamptz is null then d.until is null
      else d.since <= ${at}::timestamptz and (d.until is null or d.until > ${at}::timestamptz) end
    order by u.series, d.id desc
  )`
}

const changeRows = rowsOf({ plugin: Schema.String, ...Standing.fields })
const seriesRows = rowsOf({
  series: Schema.Int,
  state: Schema.Literals(["confirmed", "level in doubt"]),
  code_hash: Schema.String,
  since: Schema.Date,
  until: Schema.NullOr(Schema.Date)
})

/** Whether a series of a plugin was unconfirmed at a time, epoch milliseconds: for many times at once. */
export const unconfirmedThen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select plugin, code_hash, state, how, since from feed_confirmation order by id desc limit 1000000`.pipe(
    changeRows
  )
  const ofSeries = yield* sql`
    select u.series, x.state, x.code_hash, x.since, x.until from series_standing x, unnest(x.series) as u(series)
    where x.state in ('confirmed', 'level in doubt') order by x.id limit 1000000`.pipe(seriesRows)
  const byPlugin = Map.groupBy(rows, ({ plugin }) => plugin)
  const bySeries = Map.groupBy(ofSeries, ({ series }) => series)
  return (plugin: string, series: number, at: number): boolean => {
    const standing = byPlugin.get(plugin)?.find(({ since }) => since.getTime() <= at)
    const rowsThen = (bySeries.get(series) ?? []).filter(
      ({ since, until }) => since.getTime() <= at && (until === null || at < until.getTime())
    )
    return (
      rowsThen.some(({ state }) => state === "level in doubt") ||
      (standing?.state === "unconfirmed" &&
        !rowsThen.some(({ code_hash, state }) => state === "confirmed" && code_hash === standing.code_hash))
    )
  }
})
