/** What had been published by a Monday: the rows of batches closed for days before it. The same whenever it is asked. */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { day as dayMs, hour } from "../../plugin/time.ts"
import { isoTime, Unit } from "../../plugin/Value.ts"
import { collectedWell } from "../../readings/ingest/collected.ts"
import { definedDay } from "../../readings/read/byDefinition.ts"
import { dayHolds } from "../../readings/read/differing.ts"
import { unconfirmedSeries } from "../../readings/read/standings.ts"
import { rowsOf } from "../../sql/rows.ts"
import type { Figure } from "../../wire/log/brief.ts"

export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** A published day of a series. */
export interface Published {
  readonly day: string
  readonly figure: Figure
}

export interface Series {
  readonly symbol: string
  readonly metric: string
  readonly source: string
  readonly plugin: string
  readonly tier: string
  /** The newest published day. */
  readonly newest: Published
  /** Days of the two weeks before the edition, oldest first. */
  readonly window: ReadonlyArray<Published>
  /** Incident that excludes readings of the last seven days. */
  readonly incident?: number
  /** True if nothing had confirmed its feed by the cut-off. */
  readonly unconfirmed: boolean
}

const Row = Schema.Struct({
  series: Schema.Int,
  symbol: Schema.String,
  metric: Schema.String,
  source: Schema.String,
  plugin: Schema.String,
  tier: Schema.String,
  unit: Unit,
  day: Schema.String,
  as_of: Schema.Date,
  value: Schema.Finite,
  value_text: Schema.NullOr(Schema.String),
  verify_url: Schema.String,
  unconfirmed: Schema.Boolean
})
interface Row extends Schema.Schema.Type<typeof Row> {}

const publishedRows = rowsOf(Row.fields)
const lastRows = rowsOf({ last: Schema.NullOr(Schema.Int) })
const incidentRows = rowsOf({ series: Schema.Int, incident: Schema.Int })
const answerRows = rowsOf({ plugin: Schema.String, at: Schema.Date })

/** Series looked at in one statement. */
const chunk = 500

const published = (row: Row): Published => ({
  day: row.day,
  figure: {
    metric: row.metric,
    value: row.value,
    ...(row.value_text === null ? {} : { value_text: row.value_text }),
    unit: row.unit,
    source: row.source,
    as_of: isoTime(row.as_of.getTime()),
    verify_url: row.verify_url
  }
})

/** Every series with something published before the edition of this date. */
export const publishedBefore = Effect.fn("brief.publishedBefore")(function* (date: string) {
  const sql = yield* SqlClient.SqlClient
  const edition = Date.parse(date)
  const from = dateOf(edition - 14 * dayMs)
  const week = dateOf(edition - 7 * dayMs)
  const [newest] = yield* sql`select max(id) as last from series`.pipe(lastRows)
  const unconfirmed = unconfirmedSeries(sql, new Date(edition + 8 * hour))
  const holds = yield* dayHolds
  const publishedSeries: Array<Series> = []
  for (let after = 0; after < (newest?.last ?? 0); after += chunk) {
    const rows = yield* sql`
      select s.id as series, s.symbol, s.metric, s.source, s.plugin, s.tier, s.unit, n.day::text as day, n.as_of, n.value,
        n.value_text, n.verify_url, ${unconfirmed.column} as unconfirmed
      from series s cross join lateral (
        select distinct on (d.day) d.day, d.as_of, d.value, d.value_text, d.verify_url, d.n_observations,
          ${sql.literal(definedDay)} as by_definition, ${holds} as holds
        from daily d join batch b on b.id = d.sealed_by and b.closed_at is not null and b.day < ${date}::date
        where d.series = s.id and d.incident = 0 and d.day < ${date}::date and d.day >= least(${from}::date, (
          select max(m.day) from daily m where m.series = s.id and m.incident = 0 and m.day < ${date}::date
        ))
        order by d.day, d.version desc
      ) n ${unconfirmed.joins}
      where s.id > ${after} and s.id <= ${after + chunk} and n.n_observations > 0 and n.holds and n.by_definition is null
      order by s.id, n.day limit ${chunk * 15}`.pipe(publishedRows)
    const incidents = yield* sql`
      select d.series, min(d.incident) as incident from daily d
        join batch b on b.id = d.sealed_by and b.closed_at is not null and b.day < ${date}::date
      where d.series > ${after} and d.series <= ${after + chunk} and d.incident > 0 and d.n_observations > 0
        and d.day >= ${week}::date and d.day < ${date}::date
      group by d.series limit ${chunk}`.pipe(incidentRows)
    for (const [series, days] of Map.groupBy(rows, (row) => row.series)) {
      const newest = days.at(-1)
      if (newest === undefined) continue
      const { metric, plugin, source, symbol, tier, unconfirmed } = newest
      const incident = incidents.find((one) => one.series === series)?.incident
      publishedSeries.push({
        symbol,
        metric,
        source,
        plugin,
        tier,
        unconfirmed,
        newest: published(newest),
        window: days.filter(({ day }) => day >= from).map(published),
        ...(incident === undefined ? {} : { incident })
      })
    }
  }
  return publishedSeries
})

/** When each collector last had an answer in the 26 hours before the cut-off; those without one are left out. */
export const answeredBefore = Effect.fn("brief.answeredBefore")(function* (cutOff: number) {
  const sql = yield* SqlClient.SqlClient
  // Ids of runs sort by time (UUID version 7), and are the only index over all of them.
  const idFrom = (ms: number) => {
    const hex = ms.toString(16).padStart(12, "0")
    return `${hex.slice(0, 8)}-${hex.slice(8)}`
  }
  const rows = yield* sql`
    select plugin, max(finished_at) as at from run
    where id >= ${idFrom(cutOff - 26 * hour)} and id < ${idFrom(cutOff)} and ${sql.literal(collectedWell("run"))}
      and finished_at <= ${new Date(cutOff)}
    group by plugin limit 10000`.pipe(answerRows)
  return new Map(rows.map(({ at, plugin }) => [plugin, at.getTime()]))
})
