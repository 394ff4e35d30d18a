/**
 * Runs with their exchanges as whole rows: how they leave the tables, and how those that left are asked as if they were in them. A line
 * is the JSON text that Postgres makes of both.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { rowsOf } from "../../../sql/rows.ts"
import { texts } from "../arrays.ts"
import { collectedWell } from "../collected.ts"
import { provesChain } from "./chainExchanges.ts"

/** What stands for the tables of runs in a statement. */
export interface RunTables {
  readonly run: Statement.Fragment
  readonly exchange: Statement.Fragment
}

export const inTables = (sql: SqlClient.SqlClient): RunTables => ({ run: sql`run`, exchange: sql`exchange` })

/** The rows of lines, as if they were in the tables. */
export const ofLines = (sql: SqlClient.SqlClient, lines: ReadonlyArray<string>): RunTables => ({
  run: sql`(select p.* from unnest(${texts(lines)}) as line
    cross join jsonb_populate_record(null::run, line::jsonb -> 'run') as p)`,
  exchange: sql`(select p.* from unnest(${texts(lines)}) as line
    cross join jsonb_populate_recordset(null::exchange, line::jsonb -> 'exchanges') as p)`
})

const WholeRun = Schema.Struct({
  run: Schema.String,
  plugin: Schema.String,
  place: Schema.Int,
  exchanges: Schema.Int,
  line: Schema.String,
  /** Its row stays in the table, whatever becomes of its exchanges. */
  stays: Schema.Boolean
})
export interface WholeRun extends Schema.Schema.Type<typeof WholeRun> {}

const wholeRows = rowsOf(WholeRun.fields)
const placeRows = rowsOf({ place: Schema.Int })

/**
 * Whether the row of a run `r` stays: a leaf is of it, or it is the same rows through another notary; a revision names it; it is the
 * first with its code, or no run of its plugin after it gave values. What is asked of newest and first runs is so never in a file.
 */
const stays = `(
  r.gave_leaf or r.rederives is not null or exists (select 1 from run a where a.rederives = r.id)
  or r.lot_notary is not null and exists (
    select 1 from run l where l.rows_sha256 = r.rows_sha256 and l.outcome = 'stored' and l.plugin = r.plugin and l.gave_leaf
  )
  or not exists (
    select 1 from run f where f.plugin = r.plugin and f.id < r.id and f.code_hash = r.code_hash and f.complete and f.status = 'ok'
  )
  or not exists (
    select 1 from run g where g.plugin = r.plugin and g.id > r.id and g.n_rows > 0 and g.simulated = r.simulated
      and ${collectedWell("g")}
  ))`

/** Times are written in UTC, whatever the session's zone is. */
const inUtc = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(Effect.andThen(sql`set local timezone to 'UTC'`, work))
  )

/** The answers of these runs stay, so their exchanges do, too: a leaf is of them, and its chain proves what they read. */
const provesLeaf = `(r.gave_leaf and exists (select 1 from exchange p where p.run = r.id and ${provesChain("p")}))`

/** The runs of an hour of the log that are in the table and may leave it, in the order of their leaves. */
export const wholeRunsOf = Effect.fnUntraced(function* (hour: Date) {
  const sql = yield* SqlClient.SqlClient
  return yield* inUtc(
    sql`
      select r.id as run, r.plugin, r.place, jsonb_array_length(e.exchanges) as exchanges,
        jsonb_build_object('run', to_jsonb(r), 'exchanges', e.exchanges)::text as line, ${sql.literal(stays)} as stays
      from run r cross join lateral (
        select coalesce(jsonb_agg(to_jsonb(x) order by x.n), '[]') as exchanges from exchange x where x.run = r.id
      ) e
      where r.hour = ${hour} and not ${sql.literal(provesLeaf)} order by r.place limit 1000000`.pipe(
      wholeRows
    )
  )
})

/** The places of those lines whose rows would not be the same again. */
export const unequalLines = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* inUtc(
    sql`
      select (l.n - 1)::int as place from unnest(${texts(lines)}) with ordinality as l(line, n)
      where to_jsonb(jsonb_populate_record(null::run, l.line::jsonb -> 'run')) is distinct from l.line::jsonb -> 'run'
        or coalesce((
          select jsonb_agg(to_jsonb(e) order by e.n)
          from jsonb_populate_recordset(null::exchange, l.line::jsonb -> 'exchanges') e
        ), '[]') is distinct from l.line::jsonb -> 'exchanges'
      order by l.n limit 1000000`.pipe(placeRows)
  )
  return new Set(rows.map(({ place }) => place))
})

/** Removes the exchanges of runs that are stored elsewhere, and the rows of those that do not stay. In the caller's transaction. */
export const removeWhole = Effect.fnUntraced(function* (runs: ReadonlyArray<WholeRun>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from exchange where run = any(${texts(runs.map(({ run }) => run))})`
  yield* sql`
    delete from run where id = any(${texts(runs.flatMap(({ run, stays }) => (stays ? [] : [run])))})`
})
