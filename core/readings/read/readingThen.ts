/** The value of a series as it was known at an earlier time: the one rule, for statements about one time and about many. */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { retainedFrom } from "../ingest/partitions.ts"
import { dayHolds, latestHolds } from "./differing.ts"
import { excludedThen } from "./knownAt.ts"

/** When it was known, and the newest `as_of` that counts. Either may be a column. */
interface Then {
  readonly knownTime: Date | Fragment
  readonly until: Date | Fragment
}

/**
 * For a statement's `from`, after a `series s`: the newest reading `r` that was accepted then, of those that are kept. Readings
 * have no address of their own: it has the one of its day, as it was nearest to that time.
 */
export const readingThen = Effect.fnUntraced(function* ({ knownTime, until }: Then) {
  const sql = yield* SqlClient.SqlClient
  return sql`cross join lateral (
        select o.series, o.as_of, o.version, o.value, o.value_text, o.recorded_at from observation o
        where o.series = s.id and o.as_of >= ${new Date(yield* retainedFrom)} and o.as_of <= ${until}
          and o.recorded_at <= ${knownTime} and ${excludedThen(sql, knownTime)} is null
        order by o.as_of desc, o.version desc limit 1
      ) o cross join lateral (
        select o.*, d.verify_url, d.simulated from daily d
        where d.series = o.series and d.day = (o.as_of at time zone 'UTC')::date
        order by d.incident, d.recorded_at <= ${knownTime} desc,
          case when d.recorded_at <= ${knownTime} then -d.version else d.version end limit 1
      ) r`
})

/**
 * The same for a series of which no reading is kept: its newest day `r` of before. Where that lies before the start of history,
 * it is in `latest` alone: it is left out if another has replaced it since.
 */
export const dayThen = Effect.fnUntraced(function* (knownTime: Date | Fragment) {
  const sql = yield* SqlClient.SqlClient
  const retainedSince = new Date(yield* retainedFrom)
  return sql`cross join lateral (
        select * from (
          select as_of, value, value_text, recorded_at, verify_url, simulated from (
            select distinct on (day) * from daily
            where series = s.id and incident = 0 and day < ${retainedSince}::date and recorded_at <= ${knownTime}
            order by day desc, version desc
          ) d where d.n_observations > 0 and ${yield* dayHolds}
          union all
          select as_of, value, value_text, recorded_at, verify_url, simulated from latest l
          where ${yield* latestHolds} and series = s.id and as_of < ${retainedSince} and recorded_at <= ${knownTime}
        ) u order by as_of desc limit 1
      ) r`
})
