/** What the pairs of a token on decentralised exchanges say together, whoever lists them. */
import type { Metric, Reading } from "../Plugin.ts"
import { sum } from "./fields.ts"
import { mayDropToZero, metric } from "./metric.ts"

/** One pair or pool that holds the token. */
export interface Pair {
  /** Chain and exchange, as one name; undefined where it is not told. */
  readonly venue: string | undefined
  /** Price of the token asked for; null where it is not told, undefined where the list gives only the other one's. */
  readonly price: Reading
  /** Buys and sells of 24 hours. */
  readonly swaps: number | undefined
  /** US dollars of 24 hours. */
  readonly volume: number | null | undefined
  /** US dollars. */
  readonly liquidity: number | null | undefined
}

/** The metrics of `dexValues`. */
export const dexMetrics = {
  dex_price_usd: metric(
    "usd",
    "Price in the pair with the most liquidity, of those that give the token's own price."
  ),
  dex_liquidity_usd: metric(
    "usd",
    "Liquidity of all pairs that hold the token, pools without any trade left out."
  ),
  dex_volume_24h_usd: mayDropToZero(
    "usd",
    "Traded value of all pairs that hold the token, in the last 24 hours."
  ),
  dex_swaps_24h: mayDropToZero(
    "count",
    "Buys and sells in all pairs that hold the token, in the last 24 hours."
  ),
  dex_pairs_active: mayDropToZero("count", "Pairs that hold the token and saw a swap in the last 24 hours."),
  dex_venues_active: mayDropToZero("count", "Exchanges with such a pair, per chain.")
} as const satisfies Record<string, Metric>

/** Hexadecimal addresses are the same in any case; others, such as those of Solana, are not. */
export const sameAddress = (a: string | undefined, b: string): boolean =>
  a === b || (b.startsWith("0x") && a?.toLowerCase() === b.toLowerCase())

/** A pool that is over 1,000 times as large as its day's trade, with no swap, is decoration. */
const isFake = ({ liquidity, swaps, volume }: Pair): boolean =>
  swaps === 0 && (liquidity ?? 0) > 1000 * (volume ?? 0)

/** The sum of what was measured; of nothing measured, nothing. */
const sumOf = (values: ReadonlyArray<number | null | undefined>) =>
  sum(values.filter((value) => value !== null && value !== undefined))

/** A pair without a swap has no volume, whether that is said or not. */
const volumeOf = ({ swaps, volume }: Pair) => volume ?? (swaps === 0 ? 0 : undefined)

/**
 * The readings of a token's pairs; of none, no readings. Swaps and volume are those of all pairs, so that a pair which
 * does not tell leaves the total out; liquidity is told by some kinds of pool only, and is that of those.
 */
export const dexValues = (
  pairs: ReadonlyArray<Pair>
): { readonly [K in keyof typeof dexMetrics]?: Reading } => {
  const sound = pairs.filter((pair) => !isFake(pair))
  const priced = sound.filter(({ price }) => price !== undefined)
  const [deepest] = priced.toSorted((a, b) => (b.liquidity ?? 0) - (a.liquidity ?? 0))
  // Among several, a depth that is not a number may be the largest.
  const isRanked = priced.length < 2 || priced.every(({ liquidity }) => !Number.isNaN(liquidity ?? 0))
  const swaps = sum(pairs.map((pair) => pair.swaps))
  const active = pairs.filter((pair) => (pair.swaps ?? 0) > 0)
  // If the swaps of one pair are missing or invalid, so is every count derived from them.
  const isCounted = swaps !== undefined && !Number.isNaN(swaps)
  const venues = active.map(({ venue }) => venue)
  return {
    dex_price_usd: isRanked ? deepest?.price : Number.NaN,
    dex_liquidity_usd: sumOf(sound.map(({ liquidity }) => liquidity)),
    dex_volume_24h_usd: sum(pairs.map(volumeOf)),
    dex_swaps_24h: swaps,
    dex_pairs_active: isCounted ? active.length : swaps,
    dex_venues_active: !isCounted ? swaps : venues.includes(undefined) ? undefined : new Set(venues).size
  }
}
