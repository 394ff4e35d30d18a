/** Price bars at another time: what a market would have listed then, on the path of the asset's one price. */
import { Schema } from "effect"
import { hour } from "../../core/plugin/time.ts"
import { start } from "./instants.ts"
import { assetNamed, change, extremes } from "./market.ts"

const Price = Schema.Union([Schema.String, Schema.Finite])

/** Binance's klines, oldest first: start, open, high, low, close, volume, end, and more. */
const Klines = Schema.fromJsonString(
  Schema.NonEmptyArray(
    Schema.TupleWithRest(Schema.Tuple([Schema.Int, Price, Price, Price, Price, Price, Schema.Int]), [
      Schema.Unknown
    ])
  )
)

/** Before this time readings list few bars: what is served goes by the last hundred. */
const inFull = start - 110 * hour

/** The asset whose bars an address asks for, such as `BTC` of `symbol=BTCUSDT`. */
export const assetAsked = (url: string): string => {
  const symbol = /[?&]symbol=(\w+?)USDT\b/.exec(url)?.[1] ?? url
  return assetNamed(symbol) ?? symbol
}

/**
 * The bars that were listed at `to`, the open one last; the recording's last close is the price at `from`. Each bar opens
 * where the one before it closed, and no closed bar that was told ever changes. A reading lists the bars of a day at
 * least; volumes are the recorded ones in turn.
 */
export const barsAt = (text: string, asset: string, from: number, to: number): string => {
  const rows = Schema.decodeUnknownSync(Klines)(text)
  const length = rows[0][6] + 1 - rows[0][0]
  const last = rows.at(-1) ?? rows[0]
  const decimals = String(last[4]).split(".")[1]?.length ?? 0
  const priceText = (times: number): string => (Number(last[4]) * times).toFixed(decimals)
  const bar = (opened: number) => {
    const n = (opened - rows[0][0]) / length
    const [, , , , , volume, , ...more] = rows[((n % rows.length) + rows.length) % rows.length] ?? last
    const until = Math.min(opened + length, to)
    const { high, low } = extremes(asset, from, opened, until)
    const ends = [priceText(change(asset, from, opened)), priceText(change(asset, from, until))] as const
    return [opened, ends[0], priceText(high), priceText(low), ends[1], volume, opened + length - 1, ...more]
  }
  const open = Math.floor(to / length) * length
  const count = Math.min(rows.length, to < inFull ? 4 : Math.ceil((26 * hour) / length) + 1)
  return JSON.stringify(Array.from({ length: count }, (_, n) => bar(open - (count - 1 - n) * length)))
}
