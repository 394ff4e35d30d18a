/** What a series read at the same hour of an earlier day: the fair comparison for what has a daily rhythm. */
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day, hour } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { manyRowsOf } from "../../sql/rows.ts"

const readings = manyRowsOf({ as_of: Predicate.isDate, value: Predicate.isNumber })

/** How far from the time of the day a reading may be, in milliseconds. */
const near = hour / 2

interface SameHour {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  /** ISO 8601. */
  readonly as_of: string
  /** So many days before `as_of`. */
  readonly days: number
}

/**
 * The accepted reading that is nearest to the same time some days before, at most half an hour away; undefined without one.
 * Readings are kept for 90 days by default.
 */
export const sameHourBefore = Effect.fn("Data.sameHourBefore")(function* ({
  as_of,
  days,
  metric,
  source,
  symbol
}: SameHour) {
  const sql = yield* SqlClient.SqlClient
  const at = new Date(Date.parse(as_of) - days * day)
  const [reading] = yield* sql`
    select o.as_of, o.value
    from series s join observation o on o.series = s.id
    where s.symbol = ${symbol} and s.metric = ${metric} and s.source = ${source}
      and o.as_of between ${new Date(at.getTime() - near)} and ${new Date(at.getTime() + near)}
      and not exists (
        select 1 from exclusion e join incident c on c.id = e.incident and c.closed_at is null
        where e.series = o.series and e.as_of = o.as_of and e.version = o.version
      )
    order by abs(extract(epoch from o.as_of - ${at}::timestamptz)), o.version desc limit 1`.pipe(readings)
  return reading === undefined ? undefined : { as_of: isoTime(reading.as_of.getTime()), value: reading.value }
})
