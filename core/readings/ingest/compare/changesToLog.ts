/** What holds of feeds and of single series, as the log states it: `core/log/feedChanges.ts` gives each change its number and its place. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { ints } from "../arrays.ts"

/** The tables that have changes. */
const tables = ["feed_confirmation", "series_standing"] as const

/** A row of one of them. */
interface ChangeKey {
  readonly of: (typeof tables)[number]
  readonly id: number
}

/** The changes that no document has yet. */
export const unloggedChanges = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  select 'feed_confirmation' as of, id, plugin, code_hash, state, how, reason, null as run, since, null::timestamptz as until,
    null::jsonb as series, null::jsonb as stated
  from feed_confirmation where n is null
  union all
  select 'series_standing' as of, x.id, x.plugin, x.code_hash, x.state, x.how, x.reason, x.run, x.since,
    case when x.state = 'young' then x.until end as until, (
      select jsonb_agg(jsonb_build_object('metric', s.metric, 'source', s.source, 'symbol', s.symbol) order by u.place)
      from unnest(x.series) with ordinality as u(id, place) join series s on s.id = u.id
    ) as series, x.stated
  from series_standing x where x.n is null`

/** The number that the log gave last; 0 before the first. */
export const newestNumber = (sql: SqlClient.SqlClient): Statement.Fragment => sql`greatest(
  (select coalesce(max(n), 0) from feed_confirmation), (select coalesce(max(n), 0) from series_standing))`

/** The place in the log of the last one that is in it. */
export const newestPlace = (sql: SqlClient.SqlClient): Statement.Fragment => sql`greatest(
  (select log_index from feed_confirmation where n is not null order by n desc limit 1),
  (select log_index from series_standing where n is not null order by n desc limit 1))`

/** Gives changes the numbers from `first` on, and the document that states them. */
export const numberChanges = Effect.fnUntraced(function* (
  changes: ReadonlyArray<ChangeKey>,
  first: number,
  document: string
) {
  const sql = yield* SqlClient.SqlClient
  const numbered = changes.map(({ id, of }, index) => ({ id, of, n: first + index }))
  for (const [table, some] of Map.groupBy(numbered, ({ of }) => of))
    yield* sql`
      update ${sql(table)} f set n = t.n, document = ${document}
      from unnest(${ints(some.map(({ id }) => id))}, ${ints(some.map(({ n }) => n))}) as t(id, n)
      where f.id = t.id`
})

/** Notes where in the log the document of some changes is. */
export const placeChanges = Effect.fnUntraced(function* (document: string, logIndex: number) {
  const sql = yield* SqlClient.SqlClient
  for (const table of tables)
    yield* sql`update ${sql(table)} set log_index = ${logIndex} where document = ${document}`
})

/** Counts all as not logged yet: the log begins anew. */
export const unlogChanges = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const table of tables)
    yield* sql`update ${sql(table)} set n = null, document = null, log_index = null where n is not null`
})

/** Whether a second source agreed with a series, under the code `codeHash`, by the time `at`. */
const wasConfirmed = (
  sql: SqlClient.SqlClient,
  series: number,
  codeHash: Statement.Fragment,
  at: Date
): Statement.Fragment => sql`exists (
  select 1 from series_standing a where a.state = 'confirmed' and a.series @> array[${series}::int]
    and a.code_hash = ${codeHash} and a.since <= ${at}
)`

/**
 * What marked a reading of a series when it was recorded, at `at`: its feed, which nobody had confirmed and no second source agreed
 * with; its youth; or a doubt from the last value of the level before on.
 */
export const marksThen = (
  sql: SqlClient.SqlClient,
  series: number,
  { asOf, at }: { readonly asOf: Date; readonly at: Date }
): Statement.Fragment => sql`
  select 'unconfirmed' as mark, f.since, (
      select min(later.since) from feed_confirmation later where later.plugin = f.plugin and later.id > f.id
    ) as until, f.n, f.document, f.log_index, null::jsonb as held
  from (
    select c.* from feed_confirmation c join series s on s.plugin = c.plugin
    where s.id = ${series} and c.since <= ${at} order by c.id desc limit 1
  ) f
  where f.state = 'unconfirmed' and not ${wasConfirmed(sql, series, sql`f.code_hash`, at)}
  union all
  select x.state, x.since, x.until, x.n, x.document, x.log_index, null from series_standing x
  where x.series @> array[${series}::int] and (
    (x.state = 'young' and x.since <= ${at} and ${at} < x.until)
    or (x.state = 'level in doubt' and (x.until is null or ${at} < x.until)
      and ${asOf} >= date_trunc('day', (x.stated -> 'before' ->> 'as_of')::timestamptz, 'UTC'))
  )`
