/** `crypto_indicators`: SMA, EMA, RSI, MACD and VWAP over the latest 100 bars of 14 assets (spec 2.10). */
import { Effect, Schema } from "effect"
import { Asset, Bar, bars, intervals } from "./bars.ts"
import { figure, head, natural, readings, words } from "./inputs.ts"

const count = 100

const Indicators = {
  sma_20: figure("Mean of the last 20 closes"),
  ema_20: figure("Exponential mean of the closes, weight 2/21, from the 20th bar on"),
  rsi_14: figure("Relative strength index after Wilder over 14 changes, 0 to 100"),
  macd: figure("EMA 12 minus EMA 26 of the closes, from the 26th bar on"),
  macd_signal: figure("EMA 9 of macd, from its 9th value on"),
  macd_histogram: figure("macd minus macd_signal"),
  vwap: figure("Typical price (high + low + close) / 3 weighed by volume, since the stretch began")
}

export const IndicatorBar = Schema.Struct({ ...Bar.fields, ...Indicators }).annotate({
  identifier: "IndicatorBar",
  description: "One bar with its indicators; null while the stretch is too short"
})
export interface IndicatorBar extends Schema.Schema.Type<typeof IndicatorBar> {}

export const CryptoIndicators = Schema.Struct({
  ...head,
  interval: words("Length of a bar"),
  assets: Schema.Array(
    Schema.Struct({
      ...Asset,
      n_bars: natural("Bars, at most 100"),
      n_gaps: natural("Places where bars are missing; no indicator reaches across one"),
      bars: Schema.Array(IndicatorBar).annotate({ description: "Oldest first" })
    }).annotate({ identifier: "IndicatorAsset", description: "One asset" })
  ).annotate({ description: "Assets with bars, sorted by symbol" })
}).annotate({ identifier: "CryptoIndicators", description: "Technical indicators over hourly bars" })
export interface CryptoIndicators extends Schema.Schema.Type<typeof CryptoIndicators> {}

/** Parts of a series that have no gap. */
export const stretches = <A>(
  items: ReadonlyArray<A>,
  ends: ReadonlyArray<number>,
  length: number
): ReadonlyArray<ReadonlyArray<A>> => {
  const found: Array<Array<A>> = []
  items.forEach((item, n) => {
    const before = ends[n - 1]
    if (before !== undefined && (ends[n] ?? 0) - before === length) found.at(-1)?.push(item)
    else found.push([item])
  })
  return found
}

export const cryptoIndicators = Effect.gen(function* () {
  const { generated_utc } = yield* readings
  const assets = yield* bars("1h", count)
  const { computeIndicators } = yield* Effect.promise(() => import("./computeIndicators.ts"))
  return {
    generated_utc,
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
        "an EMA of n starts from the first close with weight 2 / (n + 1) and is shown from the nth bar on, that of macd from the first macd that is shown",
      fields: ["open", "high", "low", "close", "volume"].map((part) => `ohlcv_1h_${part}`),
      rules: [
        "The latest 100 closed hourly bars of each asset; every figure follows from the bars shown.",
        "A missing bar is never filled in: after a gap every indicator begins anew.",
        "rsi_14 is null while no price has moved; vwap while nothing was traded."
      ]
    }
  } satisfies CryptoIndicators
})
