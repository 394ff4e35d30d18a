/** Price bars of the large assets, from a spot market that answers. */
import { type Duration, Effect, Result, Schema } from "effect"
import { Decimal } from "../Decimal.ts"
import * as Plugin from "../Plugin.ts"
import { atMost } from "../relations.ts"
import { day, hour, minute } from "../time.ts"
import * as Upstream from "../Upstream.ts"
import { isoTime } from "../Value.ts"
import { figure } from "./fields.ts"
import { mayDropToZero, metric } from "./metric.ts"
import { termsOn } from "./provenance.ts"

/** The assets; Kraken alone has a word of its own for one of them. */
const assets = [
  "ADA",
  "AVAX",
  "BNB",
  "BTC",
  "DOT",
  "ETH",
  "FIL",
  "ICP",
  "LINK",
  "NEAR",
  "RENDER",
  "SOL",
  "TAO",
  "XRP"
] as const
type Asset = (typeof assets)[number]

/** What the prices are in: the markets' own currencies are no one currency. */
const currency =
  "in US dollars, or in USDT, a token that is meant to be one, where the source is binance_klines"

/** When somebody read the documents of the markets. */
const read = "2026-11-25"

/** The symbols that have bars. */
export const symbols: ReadonlyArray<string> = assets

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
  /** The address that shows one bar, also when newer ones have pushed it out of the list that was read. */
  readonly barAt: (start: number) => string
}

/** A price or an amount: text on some markets, a number on others. */
const Figure = Schema.NullOr(Schema.Union([Schema.Finite, Schema.instanceOf(Decimal), Schema.String]))
type Figure = typeof Figure.Type

const Klines = Schema.Array(
  Schema.TupleWithRest(Schema.Tuple([Schema.Int, Figure, Figure, Figure, Figure, Figure]), [Schema.Unknown])
)

const Candles = Schema.Array(
  Schema.TupleWithRest(Schema.Tuple([Schema.Int, Figure, Figure, Figure, Figure, Figure]), [Schema.Unknown])
)

const Kraken = Schema.Struct({
  error: Schema.Array(Schema.String),
  result: Upstream.maybe(Schema.Record(Schema.String, Schema.Unknown))
})
const KrakenBars = Schema.NonEmptyArray(
  Schema.TupleWithRest(Schema.Tuple([Schema.Int, Figure, Figure, Figure, Figure, Figure, Figure]), [
    Schema.Unknown
  ])
)

const barOf = (
  start: number,
  open: Figure,
  high: Figure,
  low: Figure,
  close: Figure,
  volume: Figure
): Bar => ({
  start,
  open: figure(open),
  high: figure(high),
  low: figure(low),
  close: figure(close),
  volume: figure(volume)
})

const binance = Effect.fnUntraced(function* (asset: Asset, length: number, count: number) {
  const interval = length === hour ? "1h" : "1d"
  const url = `https://api.binance.com/api/v3/klines?symbol=${asset}USDT&interval=${interval}`
  const answer = yield* Upstream.json(`${url}&limit=${count + 1}`, Klines)
  const bars = answer.body.map(([start, open, high, low, close, volume]) =>
    barOf(start, open, high, low, close, volume)
  )
  return yield* closed(
    { answer, bars, source: "binance_klines", barAt: (start) => `${url}&startTime=${start}&limit=1` },
    length,
    count
  )
})

/** Newest first, and the low before the high. */
const coinbase = Effect.fnUntraced(function* (asset: Asset, length: number, count: number) {
  const url = `https://api.exchange.coinbase.com/products/${asset}-USD/candles?granularity=${length / 1000}`
  const answer = yield* Upstream.json(url, Candles)
  const bars = answer.body.map(([start, low, high, open, close, volume]) =>
    barOf(start * 1000, open, high, low, close, volume)
  )
  return yield* closed(
    {
      answer,
      bars,
      source: "coinbase_candles",
      barAt: (start) => `${url}&start=${isoTime(start)}&end=${isoTime(start)}`
    },
    length,
    count
  )
})

/** The market lists the bars under its own name for the pair, which differs from the one in the request. */
const kraken = Effect.fnUntraced(function* (asset: Asset, length: number, count: number) {
  const url = `https://api.kraken.com/0/public/OHLC?pair=${asset === "BTC" ? "XBT" : asset}USD&interval=${length / minute}`
  const answer = yield* Upstream.json(url, Kraken)
  const { error, result } = answer.body
  if (error[0] !== undefined) return yield* Upstream.refused(answer, error[0])
  const { last: _, ...pairs } = result ?? {}
  const [rows, second] = Object.values(pairs)
  if (second !== undefined) return yield* Upstream.implausible(answer, `["result"]`, "more than one pair")
  const bars = (yield* Upstream.decode(url, KrakenBars, rows)).map(
    ([start, open, high, low, close, _vwap, volume]) => barOf(start * 1000, open, high, low, close, volume)
  )
  return yield* closed(
    // The list begins after `since`, in seconds.
    { answer, bars, source: "kraken_ohlc", barAt: (start) => `${url}&since=${start / 1000 - 1}` },
    length,
    count
  )
})

/** The newest bars that are closed. */
const closed = Effect.fnUntraced(function* (read: Bars, length: number, count: number) {
  const now = yield* Upstream.now
  if (read.bars.some(({ start }) => start <= 0 || start % length !== 0)) {
    return yield* Upstream.implausible(read.answer, "", "a bar that does not start on the hour or the day")
  }
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
 * its own day. The bar that is still open is left out. Coinbase answers
 * for an asset where Binance does not, and Kraken where neither does.
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
  const length = interval === "1h" ? hour : day
  const name = interval === "1h" ? "hour" : "UTC day"
  const named = (part: keyof Omit<Bar, "start">) => `ohlcv_${interval}_${part}`
  return Plugin.define({
    ...identity,
    covers: { networks: symbols },
    tier: "market",
    source: "binance_klines",
    sources: ["coinbase_candles", "kraken_ohlc"],
    hosts: ["api.binance.com", "api.exchange.coinbase.com", "api.kraken.com"],
    timeout: "3 minutes",
    calls: 3 * assets.length,
    grade: "K",
    evidence: [
      {
        source: "binance/binance-spot-api-docs@5edf082179565f6f7dd40536b3e51439fd3da98c rest-api.md",
        read,
        members: ["Kline open time", "Open price", "High price", "Low price", "Close price", "Volume"]
      },
      {
        source:
          "https://docs.cdp.coinbase.com/api-reference/exchange-api/rest-api/products/get-product-candles.md",
        read,
        members: ["timestamp", "price_low", "price_high", "price_open", "price_close"]
      },
      {
        source: "https://docs.kraken.com/exchange/guides/general/historical-data",
        read,
        members: ["time", "open", "high", "low", "close", "vwap", "volume", "count", "last"]
      }
    ],
    terms: termsOn(
      read,
      "Data: Binance, binance.com; Coinbase Exchange, exchange.coinbase.com; Kraken, kraken.com"
    ),
    // A market that did not trade in a bar says one price four times.
    relations: [
      atMost(named("low"), named("open")),
      atMost(named("low"), named("close")),
      atMost(named("open"), named("high")),
      atMost(named("close"), named("high"))
    ],
    metrics: {
      [named("open")]: metric("usd", `First price of the ${name}, ${currency}.`),
      [named("high")]: metric("usd", `Highest price of the ${name}, ${currency}.`),
      [named("low")]: metric("usd", `Lowest price of the ${name}, ${currency}.`),
      [named("close")]: metric("usd", `Last price of the ${name}, ${currency}.`),
      [named("volume")]: mayDropToZero(
        "tokens",
        `Tokens traded in the ${name}, on the market that the source names.`
      )
    },
    collect: (observe) =>
      Effect.gen(function* () {
        const outcomes = yield* Upstream.parts(
          assets.map((symbol) => {
            // When no market answers, the first one's reason is the one to look at.
            const either = Effect.catch(binance(symbol, length, count), (error) =>
              coinbase(symbol, length, count).pipe(
                Effect.catch(() => kraken(symbol, length, count)),
                Effect.mapError(() => error)
              )
            )
            return [symbol, either] as const
          })
        )
        return outcomes.flatMap(({ name: symbol, outcome }) => {
          if (Result.isFailure(outcome)) return [Plugin.failedPart(outcome.failure, symbol)]
          const { answer, barAt, bars, source } = outcome.success
          return bars.flatMap(({ close, high, low, open, start, volume }) =>
            observe(
              answer,
              {
                [named("open")]: open,
                [named("high")]: high,
                [named("low")]: low,
                [named("close")]: close,
                [named("volume")]: volume
              },
              { symbol, source, as_of: start + length - 1, verify_url: barAt(start) }
            )
          )
        })
      })
  })
}
