/** The latest row of every series as it was at an earlier time, from the readings recorded by then. */
import { Array as Arr, Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { clockSkew } from "../../plugin/Plugin.ts"
import { rowsOf } from "../../sql/rows.ts"
import { ints } from "../ingest/arrays.ts"
import { retainedFrom } from "../ingest/partitions.ts"
import { LatestRow } from "./Current.ts"
import { dayHolds, latestHolds } from "./differing.ts"
import { excludedThen } from "./knownAt.ts"
import { standingOfFeeds } from "./standings.ts"

const idRows = rowsOf({ id: Schema.Int })
const latestRows = rowsOf(LatestRow.fields)

/** Series of one statement. */
const chunk = 1000

/**
 * For a time whose readings are kept: each series' newest accepted reading of then. It costs a probe of an index for each
 * series, in statements of 1,000. Readings have no address of their own: a row has the one of its day, as it was nearest to
 * that time. When a value was last confirmed is not kept: `confirmed_at` is when it was recorded.
 *
 * A value that is older than the readings that are kept is taken from its day. Where its day lies before the start of
 * history, it is in `latest` alone: it is left out if another has replaced it since.
 */
export const latestKnownAt = Effect.fn("Data.latestKnownAt")(function* (knownAt: number) {
  const sql = yield* SqlClient.SqlClient
  const recordedUntil = new Date(knownAt)
  const retainedSince = new Date(yield* retainedFrom)
  const columns =
    sql.literal(`s.id as series, s.symbol, s.metric, s.source, s.plugin, s.tier, s.unit, r.value,
    r.value_text, r.verify_url, r.as_of, r.recorded_at as confirmed_at, r.simulated,
    coalesce(f.state = 'unconfirmed', false) as unconfirmed`)
  const standing = standingOfFeeds(sql, recordedUntil)
  const [ofDay, ofLatest] = [yield* dayHolds, yield* latestHolds]

  /** No reading was further ahead of its recording than the clock of an upstream may be of ours. */
  const fromReadings = (ids: ReadonlyArray<number>) =>
    sql`
      select ${columns} from series s cross join lateral (
        select o.series, o.as_of, o.value, o.value_text, o.recorded_at from observation o
        where o.series = s.id and o.as_of >= ${retainedSince} and o.as_of <= ${new Date(knownAt + clockSkew)}
          and o.recorded_at <= ${recordedUntil} and ${excludedThen(sql, recordedUntil)} is null
        order by o.as_of desc, o.version desc limit 1
      ) o cross join lateral (
        select o.*, d.verify_url, d.simulated from daily d
        where d.series = o.series and d.day = (o.as_of at time zone 'UTC')::date
        order by d.incident, d.recorded_at <= ${recordedUntil} desc,
          case when d.recorded_at <= ${recordedUntil} then -d.version else d.version end limit 1
      ) r left join ${standing} f on f.plugin = s.plugin where s.id = any(${ints(ids)})`.pipe(latestRows)

  const fromDays = (ids: ReadonlyArray<number>) =>
    sql`
      select ${columns} from series s cross join lateral (
        select * from (
          select as_of, value, value_text, recorded_at, verify_url, simulated from (
            select distinct on (day) * from daily
            where series = s.id and incident = 0 and day < ${retainedSince}::date and recorded_at <= ${recordedUntil}
            order by day desc, version desc
          ) d where d.n_observations > 0 and ${ofDay}
          union all
          select as_of, value, value_text, recorded_at, verify_url, simulated from latest l
          where ${ofLatest} and series = s.id and as_of < ${retainedSince} and recorded_at <= ${recordedUntil}
        ) u order by as_of desc limit 1
      ) r left join ${standing} f on f.plugin = s.plugin where s.id = any(${ints(ids)})`.pipe(latestRows)

  const all = yield* sql`select id from series order by id limit 1000000`.pipe(idRows)
  const latest: Array<LatestRow> = []
  for (const some of Arr.chunksOf(all, chunk)) {
    const ids = some.map(({ id }) => id)
    const rows = yield* fromReadings(ids)
    const there = new Set(rows.map(({ series }) => series))
    const others = ids.filter((id) => !there.has(id))
    latest.push(...rows, ...(others.length === 0 ? [] : yield* fromDays(others)))
  }
  return latest
})
