/** `lead_lag_correlations`: which assets' hourly changes lead those of others. */
import { Effect } from "effect"
import { isoTime } from "../../plugin/Value.ts"
import { derived } from "../../readings/read/rights.ts"
import { soldAndViewed } from "../build.ts"
import { bars, intervals, isBar } from "../shared/bars.ts"
import { about, ofDerived } from "../shared/coverage.ts"
import { leftOut, readings } from "../shared/inputs.ts"
import { changes, qValues } from "../shared/statistics.ts"
import definition, { type LeadLag, type LeadLagRow } from "./definition.ts"

const count = 100
/** Tested lags in hours. */
const lags = [0, 1, 2, 3, 4, 5, 6] as const
/** Minimum pairs of hours for a correlation. */
const least = 30

export const leadLag = Effect.gen(function* () {
  const current = yield* readings
  const { generated_utc } = current
  const assets = yield* derived(bars("1h", count))
  const { correlation } = yield* Effect.promise(() => import("../shared/correlation.ts"))
  const length = intervals["1h"]
  const moves = assets.map(({ bars, ends, symbol }) => ({
    symbol,
    changes: changes(
      bars.map(({ close }) => close),
      ends,
      length
    )
  }))
  const tests: Array<Omit<LeadLagRow, "q">> = []
  let left = 0
  for (const [a, leader] of moves.entries()) {
    for (const [b, follower] of moves.entries()) {
      if (a === b) continue
      for (const lag of lags) {
        if (lag === 0 && a > b) continue
        const x: Array<number> = []
        const y: Array<number> = []
        for (const [end, change] of leader.changes) {
          const after = follower.changes.get(end + lag * length)
          if (after === undefined) continue
          x.push(change)
          y.push(after)
        }
        const result = x.length < least ? undefined : correlation(x, y)
        if (result === undefined) left++
        else
          tests.push({
            leader: leader.symbol,
            follower: follower.symbol,
            lag_hours: lag,
            n: x.length,
            ...result
          })
      }
    }
  }
  const q = qValues(tests.map(({ p }) => p))
  const ends = assets.flatMap(({ bars }) => bars.map(({ as_of }) => as_of)).sort()
  return {
    generated_utc,
    ...leftOut(current, isBar("1h"), about.all),
    run: { from: ends[0] ?? null, to: ends.at(-1) ?? null, n_tests: tests.length, n_left_out: left },
    assets: assets.map(({ bars, ends, ...asset }) => ({
      ...asset,
      as_of: isoTime(ends.at(-1) ?? 0),
      n_bars: bars.length
    })),
    // The sort is stable, so equal p-values stay in loop order, which is by name.
    correlations: tests.map((row, n) => ({ ...row, q: q[n] ?? 1 })).toSorted((a, b) => a.p - b.p),
    methodology: {
      formula:
        "r = Pearson(ln(c[t] / c[t-1]) of the leader, ln(c[t+lag] / c[t+lag-1]) of the follower); p of t = r √((n - 2) / (1 - r²)); " +
        "q = Benjamini-Hochberg over all tests of the run",
      fields: ["ohlcv_1h_close"],
      rules: [
        `Covers the latest ${count} closed hourly bars, lags of 0 to ${lags.at(-1)} hours, and at least ${least} common hours. The bars are those of crypto_indicators.`,
        "p is accurate to a relative 3e-7.",
        "Gaps are never filled in, and no change spans a missing bar. A constant series has no correlation.",
        "Correlation is not causation, and many pairs are tested: judge by q."
      ]
    }
  } satisfies LeadLag
})

export default soldAndViewed(definition, leadLag, {
  covers: ofDerived(isBar("1h"), about.all),
  holds: ({ correlations }) => correlations.length > 0
})
