/** The cross-network views (spec 4.4): one metric across networks, what changed, what moves together, the day in short. */
import { Effect, Schema } from "effect"
import * as DataClock from "../data/DataClock.ts"
import { BadParameter } from "../data/errors.ts"
import { epoch } from "../data/ingest/partitions.ts"
import { day } from "../data/read/freshness.ts"
import { declaredMetric } from "../data/read/parameters.ts"
import { described } from "../data/read/valueRow.ts"
import { isoTime } from "../plugin/Value.ts"
import { columns, type HistoryColumn, headline } from "./columns.ts"
import {
  figure,
  head,
  Input,
  inputOf,
  liveRule,
  missing,
  natural,
  networks,
  quotient,
  readings,
  share,
  words
} from "./inputs.ts"
import { correlation, qValues } from "./statistics.ts"

export const CompareRow = Schema.Struct({
  rank: Schema.Int.annotate({ description: "1 is the largest value; equal values share a rank" }),
  symbol: described.symbol,
  ...Input.fields,
  share_of_total: share("Share of the sum; null where the sum is 0 or any value is negative")
}).annotate({ identifier: "CompareRow", description: "One network" })

export const Compare = Schema.Struct({
  ...head,
  metric: described.metric,
  n_networks: natural("Networks where it is measured"),
  median: figure("Median of the values; null where there are none"),
  rows: Schema.Array(CompareRow).annotate({ description: "Largest first, then by symbol" }),
  missing_fields: missing
}).annotate({ identifier: "Compare", description: "One metric across networks" })
export interface Compare extends Schema.Schema.Type<typeof Compare> {}

const median = (sorted: ReadonlyArray<number>): number | null => {
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : low + (high - low) / 2
}

/** Fails with `BadParameter`. */
export const compare = Effect.fn("compare")(function* (metric: string | undefined) {
  if (metric === undefined) {
    const message = "metric is required: a metric of /v1/data-dictionary, such as nodes_online."
    return yield* new BadParameter({ field: "metric", message })
  }
  yield* declaredMetric("metric", metric, [])
  const { generated_utc, measured } = yield* readings
  const rows = networks
    .flatMap(({ symbol }) => measured(symbol).of(metric) ?? [])
    .toSorted((a, b) => b.row.value - a.row.value)
  const values = rows.map(({ row }) => row.value)
  const total = values.reduce((sum, value) => sum + value, 0)
  const shared = values.every((value) => value >= 0)
  return {
    generated_utc,
    metric,
    n_networks: rows.length,
    median: median(values),
    rows: rows.map((row) => ({
      rank: values.indexOf(row.row.value) + 1,
      symbol: row.row.symbol,
      ...inputOf(row),
      share_of_total: shared ? quotient(row.row.value, total) : null
    })),
    missing_fields: rows.length === 0 ? [metric] : [],
    methodology: {
      formula: "share_of_total = value / sum of the values",
      fields: [metric],
      rules: ["A network where the metric is not measured is absent.", liveRule]
    }
  } satisfies Compare
})

export const ChangeRow = Schema.Struct({
  symbol: described.symbol,
  metric: described.metric,
  unit: Schema.String.annotate({ description: "Unit of the values" }),
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  simulated: described.simulated,
  from_date: Schema.String.annotate({ format: "date", description: "The earlier day" }),
  to_date: Schema.String.annotate({ format: "date", description: "The later day" }),
  from_value: Schema.Finite.annotate({ description: "Last accepted reading of the earlier day" }),
  to_value: Schema.Finite.annotate({ description: "Last accepted reading of the later day" }),
  change_pct: Schema.Finite.annotate({ description: "(to - from) / |from| in percent" })
}).annotate({ identifier: "ChangeRow", description: "One series" })
export interface ChangeRow extends Schema.Schema.Type<typeof ChangeRow> {}

/** Rows of one answer: beyond what the feeds of today give, so that a list without an end is cut, and no list that is. */
const mostChanges = 5000

export const Changes = Schema.Struct({
  ...head,
  n_compared: natural("Series with a reading on both days"),
  n_left_out: natural(`Of these, the smaller changes that are not among the rows; 0 up to ${mostChanges}`),
  changes: Schema.Array(ChangeRow).annotate({ description: "The largest changes first" })
}).annotate({ identifier: "Changes", description: "What changed most" })
export interface Changes extends Schema.Schema.Type<typeof Changes> {}

const recent = Effect.fnUntraced(function* (days: number, metrics: ReadonlyArray<string>) {
  const now = yield* DataClock.now
  const today = Math.floor(now / day) * day
  return {
    now,
    series: yield* columns({ metrics, from: Math.max(epoch, today - days * day), to: today })
  }
})

const changeOf = (series: HistoryColumn): ChangeRow | undefined => {
  const [from, to] = [series.values.at(-2), series.values.at(-1)]
  const [from_date, to_date] = [series.dates.at(-2), series.dates.at(-1)]
  if (from === undefined || to === undefined || from_date === undefined || to_date === undefined)
    return undefined
  const change = quotient(to - from, Math.abs(from))
  if (change === null || Date.parse(to_date) - Date.parse(from_date) !== day) return undefined
  const { dates: _, values: __, ...known } = series
  return { ...known, from_date, to_date, from_value: from, to_value: to, change_pct: 100 * change }
}

export const dailyChanges = Effect.gen(function* () {
  const { now, series } = yield* recent(2, headline)
  const found = series.flatMap((column) => changeOf(column) ?? [])
  const changes = found
    .toSorted((a, b) => Math.abs(b.change_pct) - Math.abs(a.change_pct))
    .slice(0, mostChanges)
  return {
    generated_utc: isoTime(now),
    n_compared: found.length,
    n_left_out: found.length - changes.length,
    changes,
    methodology: {
      formula: "change_pct = 100 × (to_value - from_value) / |from_value|",
      fields: headline,
      rules: [
        "The two newest days of each series, where they follow each other; a series without one of them is absent.",
        "A change from 0 is not defined and is absent."
      ]
    }
  } satisfies Changes
})

export const CorrelationRow = Schema.Struct({
  a: Schema.String.annotate({ description: "Symbol of one network" }),
  b: Schema.String.annotate({ description: "Symbol of the other" }),
  n: natural("Common days"),
  r: Schema.Finite.annotate({ description: "Pearson's correlation, -1 to 1" }),
  p: Schema.Finite.annotate({
    description: "Two-sided p-value of Student's t with n - 2 degrees of freedom"
  }),
  q: Schema.Finite.annotate({ description: "Benjamini-Hochberg q-value within this answer" })
}).annotate({ identifier: "CorrelationRow", description: "Two networks" })

export const CorrelatedNetwork = Schema.Struct({
  symbol: described.symbol,
  source: described.source,
  verify_url: described.verify_url,
  as_of: described.as_of,
  simulated: described.simulated,
  n_days: natural("Days of the window with a price")
}).annotate({ identifier: "CorrelatedNetwork", description: "The series of one network" })

export const Correlations = Schema.Struct({
  ...head,
  metric: described.metric,
  n_networks: natural("Networks that are compared"),
  n_left_out: natural("Networks with enough days whose market is smaller than that of those"),
  networks: Schema.Array(CorrelatedNetwork).annotate({
    description: "Where the prices come from, by symbol"
  }),
  n_tests: natural("Pairs tested: what q is computed over"),
  correlations: Schema.Array(CorrelationRow).annotate({ description: "All of them, the least p first" })
}).annotate({ identifier: "Correlations", description: "Networks whose prices move together" })
export interface Correlations extends Schema.Schema.Type<typeof Correlations> {}

/** Networks of the matrix: those with the largest market, so that its size stays bounded. */
const mostNetworks = 60
const leastDays = 14

export const dailyCorrelations = Effect.gen(function* () {
  const metric = "price_usd"
  const { measured } = yield* readings
  const { now, series } = yield* recent(90, [metric])
  const bySymbol = new Map<string, HistoryColumn>()
  for (const column of series) {
    const before = bySymbol.get(column.symbol)
    if (before === undefined || before.values.length < column.values.length)
      bySymbol.set(column.symbol, column)
  }
  const enough = [...bySymbol.values()]
    .map(({ as_of, dates, simulated, source, symbol, values, verify_url }) => ({
      symbol,
      from: {
        symbol,
        source,
        verify_url,
        as_of,
        ...(simulated === undefined ? {} : { simulated }),
        n_days: dates.length
      },
      cap: measured(symbol).of("market_cap_usd")?.row.value ?? 0,
      changes: new Map(
        values.flatMap((value, n): ReadonlyArray<readonly [string, number]> => {
          const [before, date, start] = [values[n - 1], dates[n], dates[n - 1]]
          return before === undefined ||
            date === undefined ||
            start === undefined ||
            before <= 0 ||
            value <= 0
            ? []
            : Date.parse(date) - Date.parse(start) !== day
              ? []
              : [[date, Math.log(value) - Math.log(before)]]
        })
      )
    }))
    .filter(({ changes }) => changes.size >= leastDays)
  const moves = enough
    .toSorted((a, b) => b.cap - a.cap)
    .slice(0, mostNetworks)
    .toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
  const tests = moves.flatMap((a, n) =>
    moves.slice(n + 1).flatMap((b) => {
      const common = [...a.changes].flatMap(([date, change]) => {
        const other = b.changes.get(date)
        return other === undefined ? [] : [[change, other] as const]
      })
      const found =
        common.length < leastDays
          ? undefined
          : correlation(
              common.map(([x]) => x),
              common.map(([, y]) => y)
            )
      return found === undefined ? [] : [{ a: a.symbol, b: b.symbol, n: common.length, ...found }]
    })
  )
  const q = qValues(tests.map(({ p }) => p))
  return {
    generated_utc: isoTime(now),
    metric,
    n_networks: moves.length,
    n_left_out: enough.length - moves.length,
    networks: moves.map(({ from }) => from),
    n_tests: tests.length,
    correlations: tests.map((row, n) => ({ ...row, q: q[n] ?? 1 })).toSorted((x, y) => x.p - y.p),
    methodology: {
      formula:
        "r = Pearson of the daily ln(p[t] / p[t-1]); p of t = r √((n - 2) / (1 - r²)); q = Benjamini-Hochberg over n_tests",
      fields: [metric, "market_cap_usd"],
      rules: [
        `The last 90 days, at least ${leastDays} common ones, the ${mostNetworks} networks with the largest market.`,
        "A change across a missing day is none: gaps are never filled in. A constant side has no correlation."
      ]
    }
  } satisfies Correlations
})

export const Digest = Schema.Struct({
  ...head,
  n_networks: natural("Networks with a live value"),
  n_series: natural("Live series"),
  movers: Schema.Array(ChangeRow).annotate({ description: "The ten largest daily changes" }),
  dilution_classes: Schema.Record(Schema.String, Schema.Natural).annotate({
    description: "Dilution class to how many networks are in it"
  }),
  sector_health: Schema.Array(
    Schema.Struct({ category: words("The category"), health_index: figure("0 to 100; null where withheld") })
  ).annotate({ description: "Index of each category" }),
  development: Schema.Struct({
    n_active: natural("Networks with a push within 90 days"),
    n_dormant: natural("Networks without")
  }).annotate({ description: "Repositories" })
}).annotate({ identifier: "Digest", description: "The day in short" })
export interface Digest extends Schema.Schema.Type<typeof Digest> {}
