/** Price bars of the large assets, from a spot market that answers. */
import { type Duration, Effect, Result, Schema } from "effect"
import * as Plugin from "../Plugin.ts"
import * as Upstream from "../Upstream.ts"
import { decimalText } from "../Value.ts"

/** Symbol, Binance pair and Coinbase product of each asset. */
const assets = [
  ["ADA", "ADAUSDT", "ADA-USD"],
  ["AVAX", "AVAXUSDT", "AVAX-USD"],
  ["BNB", "BNBUSDT", "BNB-USD"],
  ["BTC", "BTCUSDT", "BTC-USD"],
  ["DOT", "DOTUSDT", "DOT-USD"],
  ["ETH", "ETHUSDT", "ETH-USD"],
  ["FIL", "FILUSDT", "FIL-USD"],
  ["ICP", "ICPUSDT", "ICP-USD"],
  ["LINK", "LINKUSDT", "LINK-USD"],
  ["NEAR", "NEARUSDT", "NEAR-USD"],
  ["RENDER", "RENDERUSDT", "RENDER-USD"],
  ["SOL", "SOLUSDT", "SOL-USD"],
  ["TAO", "TAOUSDT", "TAO-USD"],
  ["XRP", "XRPUSDT", "XRP-USD"]
] as const

/** The symbols that have bars. */
export const symbols: ReadonlyArray<string> = assets.map(([symbol]) => symbol)

/** One bar; `start` in epoch milliseconds. */
interface Bar {
  readonly start: number
  readonly open: Plugin.Reading
  readonly high: Plugin.Reading
  readonly low: Plugin.Reading
  readonly close: Plugin.Reading
  readonly volume: Plugin.Reading
}

interface Bars {
  readonly answer: Upstream.Answer<unknown>
  readonly bars: ReadonlyArray<Bar>
  readonly source: string
}

const decimal = Schema.NullOr(Schema.String)

const Klines = Schema.Array(
  Schema.TupleWithRest(Schema.Tuple([Schema.Int, decimal, decimal, decimal, decimal, decimal, Schema.Int]), [
    Schema.Unknown
  ])
)

const amount = Schema.NullOr(Schema.Finite)

const Candles = Schema.Array(Schema.Tuple([Schema.Int, amount, amount, amount, amount, amount]))

/** A double holds a market's eight decimals; what is no number is refused by name later. */
const double = (text: string | null): number | null =>
  text === null ? null : Number(decimalText(text) ?? Number.NaN)

const binance = Effect.fnUntraced(function* (pair: string, interval: string, count: number) {
  const answer = yield* Upstream.json(
    `https://api.binance.com/api/v3/klines?symbol=${pair}&interval=${interval}&limit=${count + 1}`,
    Klines
  )
  const bars = answer.body.map(
    ([start, open, high, low, close, volume]): Bar => ({
      start,
      open: double(open),
      high: double(high),
      low: double(low),
      close: double(close),
      volume: double(volume)
    })
  )
  return { answer, bars, source: "binance_klines" }
})

/** Newest first, and the low before the high. */
const coinbase = Effect.fnUntraced(function* (product: string, seconds: number) {
  const answer = yield* Upstream.json(
    `https://api.exchange.coinbase.com/products/${product}/candles?granularity=${seconds}`,
    Candles
  )
  const bars = answer.body.map(
    ([start, low, high, open, close, volume]): Bar => ({
      start: start * 1000,
      open,
      high,
      low,
      close,
      volume
    })
  )
  return { answer, bars, source: "coinbase_candles" }
})

/** The newest bars that are closed. */
const closed = Effect.fnUntraced(function* (read: Bars, length: number, count: number) {
  const now = yield* Upstream.now
  const bars = read.bars
    .filter(({ start }) => start + length <= now)
    .toSorted((a, b) => b.start - a.start)
    .slice(0, count)
  if (bars.length === 0) return yield* Upstream.implausible(read.answer, "", "no closed bar")
  return { ...read, bars }
})

/**
 * A plugin that reads bars of one length: the metrics are `ohlcv_<interval>_open`, `_high`, `_low`, `_close` (US
 * dollars) and `_volume` (tokens), one row a bar, true at the bar's last millisecond, so that a daily bar belongs to
 * its own day. The bar that is still open is left out. Coinbase answers for an asset where Binance does not.
 */
export const candles = (options: {
  readonly id: string
  readonly title: string
  readonly interval: "1h" | "1d"
  /** Closed bars to read each time. */
  readonly count: number
  readonly every: Duration.Input
}) => {
  const { count, interval, ...identity } = options
  const length = interval === "1h" ? 3_600_000 : 86_400_000
  const name = interval === "1h" ? "hour" : "UTC day"
  const metric = (part: keyof Omit<Bar, "start">) => `ohlcv_${interval}_${part}`
  return Plugin.define({
    ...identity,
    covers: { networks: symbols },
    tier: "market",
    source: "binance_klines",
    hosts: ["api.binance.com", "api.exchange.coinbase.com"],
    timeout: "3 minutes",
    calls: 2 * assets.length,
    grade: "B",
    owner: "plumbline",
    metrics: {
      [metric("open")]: { unit: "usd", min: 0, meaning: `First price of the ${name}.` },
      [metric("high")]: { unit: "usd", min: 0, meaning: `Highest price of the ${name}.` },
      [metric("low")]: { unit: "usd", min: 0, meaning: `Lowest price of the ${name}.` },
      [metric("close")]: { unit: "usd", min: 0, meaning: `Last price of the ${name}.` },
      [metric("volume")]: {
        unit: "tokens",
        min: 0,
        collapse: 1,
        meaning: `Tokens traded in the ${name}, on the market that the source names.`
      }
    },
    collect: (observe) =>
      Effect.gen(function* () {
        const outcomes = yield* Upstream.parts(
          assets.map(([symbol, pair, product]) => {
            const first = binance(pair, interval, count).pipe(
              Effect.flatMap((read) => closed(read, length, count))
            )
            const second = coinbase(product, length / 1000).pipe(
              Effect.flatMap((read) => closed(read, length, count))
            )
            // When neither answers, the first market's reason is the one to look at.
            const either = Effect.catch(first, (error) => Effect.mapError(second, () => error))
            return [symbol, either] as const
          })
        )
        return outcomes.flatMap(({ name: symbol, outcome }) => {
          if (Result.isFailure(outcome)) return [Plugin.missed(outcome.failure, symbol)]
          const { answer, bars, source } = outcome.success
          return bars.flatMap(({ close, high, low, open, start, volume }) =>
            observe(
              answer,
              {
                [metric("open")]: open,
                [metric("high")]: high,
                [metric("low")]: low,
                [metric("close")]: close,
                [metric("volume")]: volume
              },
              { symbol, source, as_of: start + length - 1 }
            )
          )
        })
      })
  })
}
