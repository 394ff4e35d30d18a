/** `/v1/correlations`: which networks' daily prices move together. */
import { Effect } from "effect"
import { day } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import { derived } from "../../readings/read/rights.ts"
import type { HistoryColumn } from "../../wire/products/historyColumn.ts"
import { viewed } from "../build.ts"
import { recentColumns } from "../shared/columns.ts"
import { depinRule, readings } from "../shared/inputs.ts"
import { qValues } from "../shared/statistics.ts"
import definition, { type Correlations } from "./definition.ts"

/** Limits the matrix to the networks with the largest market. */
const mostNetworks = 60
const leastDays = 14

export const dailyCorrelations = Effect.gen(function* () {
  const metric = "price_usd"
  const { measured } = yield* readings
  const { now, series, ...rest } = yield* recentColumns(90, [metric])
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
  const { correlation } = yield* Effect.promise(() => import("../shared/correlation.ts"))
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
      const result =
        common.length < leastDays
          ? undefined
          : correlation(
              common.map(([x]) => x),
              common.map(([, y]) => y)
            )
      return result === undefined ? [] : [{ a: a.symbol, b: b.symbol, n: common.length, ...result }]
    })
  )
  const q = qValues(tests.map(({ p }) => p))
  return {
    generated_utc: isoTime(now),
    ...rest,
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

export default { view: viewed(definition, () => derived(dailyCorrelations)) }
