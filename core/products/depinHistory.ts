/** `depin_history`: daily snapshots per network and metric (spec 2.10). */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Effect, Result, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSuppressed } from "../catalog/suppressed.ts"
import * as DataClock from "../data/DataClock.ts"
import { BadParameter } from "../data/errors.ts"
import { day } from "../data/freshness.ts"
import { declaredMetric, knownSymbol, wholeNumber } from "../data/parameters.ts"
import { epoch } from "../data/partitions.ts"
import { described } from "../data/views/valueRow.ts"
import { compare, isoTime } from "../plugin/Value.ts"
import { head, natural } from "./inputs.ts"

/** What is delivered of every network where neither a network nor a metric is asked for. */
const headline = [
  "price_usd",
  "market_cap_usd",
  "volume_24h_usd",
  "fees_24h_usd",
  "tvl_usd",
  "holders_count",
  "nodes_online",
  "TOTAL_NODES",
  "devices_total",
  "active_storage_providers",
  "active_leases",
  "SUBNET_ACTIVE_NEURONS"
]

const date = (description: string) => Schema.String.annotate({ format: "date", description })

export const HistoryColumn = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  unit: Schema.String.annotate({ description: "Unit of the values, one of those of /v1/data-dictionary" }),
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  simulated: described.simulated,
  dates: Schema.Array(date("UTC day")).annotate({
    description: "Days with an accepted reading, oldest first; other days are absent"
  }),
  values: Schema.Array(Schema.Finite).annotate({
    description: "The last accepted reading of each of the dates"
  })
}).annotate({ identifier: "HistoryColumn", description: "One series" })
export interface HistoryColumn extends Schema.Schema.Type<typeof HistoryColumn> {}

export const DepinHistory = Schema.Struct({
  ...head,
  from: date("First day of the window"),
  to: date("Last day of the window: today"),
  n_series: natural("Series"),
  n_points: natural("Values in all"),
  series: Schema.Array(HistoryColumn).annotate({ description: "By symbol, metric and source" })
}).annotate({ identifier: "DepinHistory", description: "Daily history as columns" })
export interface DepinHistory extends Schema.Schema.Type<typeof DepinHistory> {}

interface Column {
  readonly symbol: string
  readonly metric: string
  readonly unit: string
  readonly source: string
  readonly verify_url: string
  readonly as_of: Date
  readonly simulated: boolean
  /** Days since 1970 and values, newest first. */
  readonly days: string
  readonly readings: string
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** The daily columns of the metrics, or of one network, from the day of `from` until that of `to` (epoch ms). */
export const columns = Effect.fn("columns")(function* (options: {
  readonly symbol?: string | undefined
  readonly metrics?: ReadonlyArray<string> | undefined
  readonly from: number
  readonly to: number
}) {
  const sql = yield* SqlClient.SqlClient
  const { metrics, symbol } = options
  // The newest first is the primary key backwards: the ranges are read in order, and nothing is sorted.
  const rows = yield* sql<Column>`
    select s.symbol, s.metric, s.unit, s.source, d.verify_url, d.as_of, d.simulated, d.days, d.readings
    from series s cross join lateral (
      select string_agg((day - date '1970-01-01')::text, ',') as days, string_agg(value::text, ',') as readings,
        (array_agg(verify_url))[1] as verify_url, max(as_of) as as_of, bool_or(simulated) as simulated
      from (
        select distinct on (day) day, value, verify_url, as_of, simulated, n_observations from daily
        where series = s.id and incident = 0
          and day between ${dateOf(options.from)}::date and ${dateOf(options.to)}::date
        order by day desc, version desc
      ) newest where n_observations > 0
    ) d
    where d.days is not null
      and (${symbol ?? null}::text is null or s.symbol = ${symbol ?? null})
      and (${metrics === undefined} or s.metric = any(${Result.getOrThrow(PgTypes.array(metrics ?? [], PgTypes.OID.text))}))`
  const dates = new Map<string, string>()
  const dateOfDay = (text: string): string => {
    const known = dates.get(text) ?? dateOf(Number(text) * day)
    dates.set(text, known)
    return known
  }
  return rows
    .filter((row) => !isSuppressed(row))
    .map(
      ({ as_of, days, readings, simulated, ...row }): HistoryColumn => ({
        ...row,
        as_of: isoTime(as_of.getTime()),
        ...(simulated ? { simulated } : {}),
        dates: days.split(",").map(dateOfDay).reverse(),
        values: readings.split(",").map(Number).reverse()
      })
    )
    .sort((a, b) => compare(a.symbol, b.symbol) || compare(a.metric, b.metric) || compare(a.source, b.source))
})

const textOf = (field: string, value: unknown) =>
  value === undefined || typeof value === "string"
    ? Effect.succeed(value)
    : Effect.fail(new BadParameter({ field, message: `${field} takes a text.` }))

/** `network`, `metric` and `days` (1 to 3650, 90 where not given) narrow it. Fails with `BadParameter`, `UnknownSymbol`. */
export const depinHistory = Effect.fn("depinHistory")(function* (
  given: Readonly<Record<string, unknown>> = {}
) {
  const network = yield* textOf("network", given["network"])
  const metric = yield* textOf("metric", given["metric"])
  const symbol = network === undefined ? undefined : yield* knownSymbol("network", network)
  if (metric !== undefined) yield* declaredMetric("metric", metric, headline)
  const raw = given["days"]
  const days = yield* wholeNumber(
    "days",
    raw === undefined || typeof raw === "number" || typeof raw === "string" ? raw : "",
    { min: 1, max: 3650, fallback: 90 }
  )
  const now = yield* DataClock.now
  const today = Math.floor(now / day) * day
  const from = Math.max(epoch, today - days * day)
  const metrics = metric !== undefined ? [metric] : symbol === undefined ? headline : undefined
  const series = yield* columns({ symbol, metrics, from, to: today })
  return {
    generated_utc: isoTime(now),
    from: dateOf(from),
    to: dateOf(today),
    n_series: series.length,
    n_points: series.reduce((sum, { values }) => sum + values.length, 0),
    series,
    methodology: {
      formula: "values[i] = the last accepted reading of UTC day dates[i], in its newest version",
      fields: metrics ?? ["every metric of the network"],
      rules: [
        "Days without a reading are absent, never interpolated; readings that an incident excludes are left out.",
        "Without network or metric: the headline metrics named in fields, of every network."
      ]
    }
  } satisfies DepinHistory
})
