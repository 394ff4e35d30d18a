/** `crypto_indicators`: SMA, EMA, RSI, MACD and VWAP over the latest 100 bars of 14 assets. */
import { Effect } from "effect"
import { soldAndViewed } from "../build.ts"
import { bars, intervals, isBar } from "../shared/bars.ts"
import { about, ofValues } from "../shared/coverage.ts"
import { leftOut, readings } from "../shared/inputs.ts"
import definition, { type CryptoIndicators } from "./definition.ts"

const count = 100

/** Splits a series at its gaps. */
export const stretches = <A>(
  items: ReadonlyArray<A>,
  ends: ReadonlyArray<number>,
  length: number
): ReadonlyArray<ReadonlyArray<A>> => {
  const runs: Array<Array<A>> = []
  items.forEach((item, n) => {
    const before = ends[n - 1]
    if (before !== undefined && (ends[n] ?? 0) - before === length) runs.at(-1)?.push(item)
    else runs.push([item])
  })
  return runs
}

export const cryptoIndicators = Effect.gen(function* () {
  const current = yield* readings
  const { generated_utc } = current
  const assets = yield* bars("1h", count)
  const { computeIndicators } = yield* Effect.promise(() => import("./computeIndicators.ts"))
  return {
    generated_utc,
    ...leftOut(current, isBar("1h"), about.all),
    interval: "1h",
    assets: assets.map(({ bars, ends, ...asset }) => {
      const parts = stretches(bars, ends, intervals["1h"])
      return {
        ...asset,
        n_bars: bars.length,
        n_gaps: parts.length - 1,
        bars: parts.flatMap(computeIndicators)
      }
    }),
    methodology: {
      formula:
        "SMA(20), EMA(20) and MACD(12, 26, 9) of the closes, RSI(14) with Wilder's smoothing from the plain means of the first 14 changes, VWAP of (high + low + close) / 3; " +
        "an EMA of n starts at the first close with weight 2 / (n + 1) and is shown from the nth bar on; the EMA of macd starts at the first macd shown",
      fields: ["open", "high", "low", "close", "volume"].map((part) => `ohlcv_1h_${part}`),
      rules: [
        "Covers the latest 100 closed hourly bars of each asset; every figure can be recomputed from the bars shown.",
        "Missing bars are never filled in; every indicator restarts after a gap.",
        "rsi_14 is null while the price has not moved, and vwap while nothing has traded."
      ]
    }
  } satisfies CryptoIndicators
})

export default soldAndViewed(definition, cryptoIndicators, {
  covers: ofValues(isBar("1h"), about.all),
  holds: ({ assets }) => assets.length > 0
})
