/** The cross-network views: one metric compared, the largest changes, and correlations. */
import { Effect } from "effect"
import { referenceSymbols } from "../catalog/Catalog.ts"
import * as DataClock from "../data/DataClock.ts"
import { lastDays } from "../data/read/days.ts"
import { day } from "../data/read/freshness.ts"
import { declaredMetric } from "../data/read/parameters.ts"
import { isoTime } from "../plugin/Value.ts"
import { BadParameter } from "../wire/problems/request.ts"
import {
  type ChangeRow,
  type Changes,
  type Compare,
  type Correlations,
  mostChanges
} from "../wire/products/crossNetwork.ts"
import type { HistoryColumn } from "../wire/products/historyColumn.ts"
import { columns, headline } from "./columns.ts"
import { depinRule, inputOf, liveRule, networks, quotient, readings } from "./inputs.ts"
import { qValues } from "./statistics.ts"

const median = (sorted: ReadonlyArray<number>): number | null => {
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return low === undefined || high === undefined ? null : low + (high - low) / 2
}

/** Fails with `BadParameter`. */
export const compare = Effect.fn("Products.compare")(function* (metric: string | undefined) {
  if (metric === undefined) {
    const message = "metric is required: a metric from /v1/data-dictionary, e.g. nodes_online."
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
      rules: ["Networks where the metric is not measured are absent.", depinRule, liveRule]
    }
  } satisfies Compare
})

/** The columns of the last `days` days, today among them. */
const recent = Effect.fnUntraced(function* (days: number, metrics: ReadonlyArray<string>) {
  const now = yield* DataClock.now
  return { now, series: yield* columns({ metrics, ...lastDays(now, days) }) }
})

const depin = (series: ReadonlyArray<HistoryColumn>) =>
  series.filter(({ symbol }) => !referenceSymbols.has(symbol))

const changeOf = (series: HistoryColumn): ChangeRow | undefined => {
  const [from, to] = [series.values.at(-2), series.values.at(-1)]
  const [from_date, to_date] = [series.dates.at(-2), series.dates.at(-1)]
  if (from === undefined || to === undefined || from_date === undefined || to_date === undefined)
    return undefined
  const change = quotient(to - from, Math.abs(from))
  if (change === null || Date.parse(to_date) - Date.parse(from_date) !== day) return undefined
  const { dates: _, open_from, values: __, ...known } = series
  const open = open_from !== undefined && to_date >= open_from
  return {
    ...known,
    from_date,
    to_date,
    ...(open ? { open } : {}),
    from_value: from,
    to_value: to,
    change_pct: 100 * change
  }
}

export const dailyChanges = Effect.gen(function* () {
  const { now, series } = yield* recent(3, headline)
  const found = depin(series).flatMap((column) => changeOf(column) ?? [])
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
        "Compares the two newest days of each series if they are consecutive and not older than the day before yesterday; other series are absent.",
        "`open` marks a later day that is not closed yet: its value can still change.",
        "A relative change from 0 is undefined, so it is absent.",
        depinRule
      ]
    }
  } satisfies Changes
})

/** Limits the matrix to the networks with the largest market. */
const mostNetworks = 60
const leastDays = 14

export const dailyCorrelations = Effect.gen(function* () {
  const metric = "price_usd"
  const { measured } = yield* readings
  const { now, series } = yield* recent(90, [metric])
  const bySymbol = new Map<string, HistoryColumn>()
  for (const column of depin(series)) {
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
  const { correlation } = yield* Effect.promise(() => import("./correlation.ts"))
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
        `Covers 90 days, today among them, pairs with at least ${leastDays} common days, and the ${mostNetworks} networks with the largest market.`,
        "Gaps are never filled in, and no change spans a missing day. A constant series has no correlation.",
        depinRule
      ]
    }
  } satisfies Correlations
})
