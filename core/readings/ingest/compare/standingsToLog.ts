/** Standings of series as the log needs them, for its statements. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"

/** Those that no document has yet, with the columns that feeds have there; `core/log/feedChanges.ts` joins the two. */
export const unloggedStandings = (sql: SqlClient.SqlClient): Statement.Fragment => sql`
  select 'series_standing' as of, x.id, x.plugin, x.code_hash, x.state, x.how, x.run, x.since,
    case when x.state = 'young' then x.until end as until, (
      select jsonb_agg(jsonb_build_object('metric', s.metric, 'source', s.source, 'symbol', s.symbol) order by u.place)
      from unnest(x.series) with ordinality as u(id, place) join series s on s.id = u.id
    ) as series, x.stated
  from series_standing x where x.n is null`

/** The number that the log gave last; 0 before the first. */
export const newestNumber = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`(select coalesce(max(n), 0) from series_standing)`

/** The place in the log of the last one that is in it. */
export const newestPlace = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql`(select log_index from series_standing where n is not null order by n desc limit 1)`

/** Whether a second source agreed with a series, under the code `codeHash`, by the time `at`. */
export const wasConfirmed = (
  sql: SqlClient.SqlClient,
  series: number,
  codeHash: Statement.Fragment,
  at: Date
): Statement.Fragment => sql`exists (
  select 1 from series_standing a where a.state = 'confirmed' and a.series @> array[${series}::int]
    and a.code_hash = ${codeHash} and a.since <= ${at}
)`

/** What marked a reading of a series when it was recorded, at `at`: its youth, or a doubt from the last value of the level before on. */
export const marksThen = (
  sql: SqlClient.SqlClient,
  series: number,
  { asOf, at }: { readonly asOf: Date; readonly at: Date }
): Statement.Fragment => sql`
  select x.state as mark, x.since, x.until, x.n, x.document, x.log_index, null::jsonb as held from series_standing x
  where x.series @> array[${series}::int] and (
    (x.state = 'young' and x.since <= ${at} and ${at} < x.until)
    or (x.state = 'level in doubt' and (x.until is null or ${at} < x.until)
      and ${asOf} >= date_trunc('day', (x.stated -> 'before' ->> 'as_of')::timestamptz, 'UTC'))
  )`

/** Counts all as not logged yet: the log begins anew. */
export const unlogStandings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update series_standing set n = null, document = null, log_index = null where n is not null`
})
