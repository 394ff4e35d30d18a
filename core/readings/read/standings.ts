/** What holds of each feed: whether somebody or something has confirmed that it reads its upstream right. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { rowsOf } from "../../sql/rows.ts"

/**
 * What a confirmation rests on. `kept`: another code was confirmed before, and this one reads the same. The feeds of the
 * replay are confirmed by definition, and have no row.
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

const changeRows = rowsOf({ plugin: Schema.String, state: Standing.fields.state, since: Schema.Date })

/** Whether a plugin's feed was unconfirmed at a time, epoch milliseconds: for many times at once. */
export const unconfirmedThen = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    select plugin, state, since from feed_confirmation order by id desc limit 1000000`.pipe(changeRows)
  const byPlugin = Map.groupBy(rows, ({ plugin }) => plugin)
  return (plugin: string, at: number): boolean =>
    byPlugin.get(plugin)?.find(({ since }) => since.getTime() <= at)?.state === "unconfirmed"
})
