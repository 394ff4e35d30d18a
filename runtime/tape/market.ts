/**
 * One price path for each asset. Every plugin that shows its price, bars, changes or market value is told from it, so
 * that they agree at every time.
 */
import { networks } from "../../core/catalog/Catalog.ts"
import { day, hour } from "../../core/plugin/time.ts"
import { seedOf, wave } from "./walk.ts"

/** Lower case, unless case is part of the address. */
const folded = (contract: string): string => (contract.startsWith("0x") ? contract.toLowerCase() : contract)

/** Networks that share a coin share its price. */
const assets: ReadonlyMap<string, string> = new Map(
  networks.flatMap(({ coingecko_id, symbol, token_contract: contract }) => {
    const asset = coingecko_id ?? symbol
    return [asset, symbol, ...(contract === undefined ? [] : [folded(contract)])].map(
      (name) => [name, asset] as const
    )
  })
)

/** The asset that a symbol, a CoinGecko id or a contract names, also behind the name of its chain; undefined for others. */
export const assetNamed = (text: string): string | undefined =>
  assets.get(folded(text)) ?? assets.get(folded(text.slice(text.indexOf("_") + 1)))

/** Amplitude of the logarithm of a price by period: days make the trend, hours the noise. */
const waves: ReadonlyArray<readonly [period: number, size: number]> = [
  [11 * day, 0.09],
  [3 * day, 0.035],
  [day, 0.018],
  [7 * hour, 0.007],
  [2 * hour, 0.004]
]

const sumOf = (seed: number, ms: number): number =>
  waves.reduce((sum, [period, size], salt) => sum + size * wave(seed + salt, period, ms), 0)

const everyAsset = seedOf("market")
const together = new Map<number, number>()

/** What all assets do together at a full hour: each of them asks, and for a day's extremes 25 times. */
const togetherOn = (hours: number): number => {
  const cached = together.get(hours)
  if (cached !== undefined) return cached
  const level = sumOf(everyAsset, hours * hour)
  together.set(hours, level)
  return level
}

/** Logarithm of the price at a full hour, up to a constant: what all assets do together, and what one does by itself. */
const levelOn = (seed: number, hours: number): number =>
  0.5 * togetherOn(hours) + (0.5 + (seed % 100) / 100) * sumOf(seed, hours * hour)

/** Straight between full hours, so that no price lies beyond those of the hours around it. */
const levelAt = (asset: string, ms: number): number => {
  const seed = seedOf(`price|${asset}`)
  const before = Math.floor(ms / hour)
  const part = ms / hour - before
  const level = levelOn(seed, before)
  return part === 0 ? level : level * (1 - part) + levelOn(seed, before + 1) * part
}

/** What a price at `from` is multiplied by at `to`. Epoch milliseconds. */
export const change = (asset: string, from: number, to: number): number =>
  Math.exp(levelAt(asset, to) - levelAt(asset, from))

/** The least and the greatest price from `first` to `last`, as multiples of the price at `from`. */
export const extremes = (
  asset: string,
  from: number,
  first: number,
  last: number
): { readonly low: number; readonly high: number } => {
  const seed = seedOf(`price|${asset}`)
  const ends = [levelAt(asset, first), levelAt(asset, last)]
  let low = Math.min(...ends)
  let high = Math.max(...ends)
  for (let at = Math.ceil(first / hour); at <= Math.floor(last / hour); at++) {
    const level = levelOn(seed, at)
    low = Math.min(low, level)
    high = Math.max(high, level)
  }
  const base = levelAt(asset, from)
  return { low: Math.exp(low - base), high: Math.exp(high - base) }
}

/** A price with seven digits. */
export const priced = (value: number): number => Number(value.toPrecision(7))
