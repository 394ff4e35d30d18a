/** `crypto_indicators`: SMA, EMA, RSI, MACD and VWAP over the latest 100 bars of 14 assets. */
import { Schema } from "effect"
import { Asset, Bar } from "../../wire/products/bars.ts"
import { figure, head, natural, textField } from "../../wire/products/payload.ts"
import { define } from "../definition.ts"

const Indicators = {
  sma_20: figure("Simple moving average of the last 20 closes"),
  ema_20: figure("Exponential moving average of the closes, weight 2/21, from the 20th bar on"),
  rsi_14: figure("Wilder's relative strength index over 14 changes, 0 to 100"),
  macd: figure("EMA 12 minus EMA 26 of the closes, from the 26th bar on"),
  macd_signal: figure("EMA 9 of macd, from its 9th value on"),
  macd_histogram: figure("macd minus macd_signal"),
  vwap: figure("Typical price (high + low + close) / 3 weighted by volume since the last gap")
}

export const IndicatorBar = Schema.Struct({ ...Bar.fields, ...Indicators }).annotate({
  identifier: "IndicatorBar",
  description: "One bar with its indicators; an indicator is null until it has enough bars without a gap"
})
export interface IndicatorBar extends Schema.Schema.Type<typeof IndicatorBar> {}

export const CryptoIndicators = Schema.Struct({
  ...head,
  interval: textField("Length of a bar"),
  assets: Schema.Array(
    Schema.Struct({
      ...Asset,
      n_bars: natural("Bars, at most 100"),
      n_gaps: natural("Gaps where bars are missing; no indicator spans a gap"),
      bars: Schema.Array(IndicatorBar).annotate({ description: "Oldest first" })
    }).annotate({ identifier: "IndicatorAsset", description: "One asset" })
  ).annotate({ description: "Assets with bars, sorted by symbol" })
}).annotate({ identifier: "CryptoIndicators", description: "Technical indicators over hourly bars" })
export interface CryptoIndicators extends Schema.Schema.Type<typeof CryptoIndicators> {}

export default define({
  key: "crypto_indicators",
  title: "Crypto indicators",
  schema: CryptoIndicators,
  sale: {
    content: "SMA, EMA, RSI, MACD, VWAP for 14 assets, latest 100 bars with OHLCV",
    free: "Free: the bars at /v1/history. Sold: what is computed from them.",
    price: "4.99"
  },
  view: {
    path: "/v1/indicators",
    title: "Indicators over hourly bars of 14 assets",
    capability: "engines",
    section: "Comparisons"
  }
})
