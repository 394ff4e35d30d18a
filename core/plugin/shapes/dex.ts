/** What the pairs of a token on decentralised exchanges say together, whoever lists them. */
import { compareNumbers, isNumber, isSame } from "../decimals.ts"
import type { Metric } from "../Manifest.ts"
import type { Reading } from "../Plugin.ts"
import { atMost } from "../relations.ts"
import type { Numeric } from "../Unreadable.ts"
import { combine, largest, sum } from "./fields.ts"
import { mayDropToZero, metric } from "./metric.ts"

/** One pair or pool that holds the token. */
export interface Pair {
  /** Chain and exchange, as one name; undefined where it is not told. */
  readonly venue: string | undefined
  /** Price of the token asked for; null where it is not told, undefined where the list gives only the other one's. */
  readonly price: Reading
  /** Buys and sells of 24 hours. */
  readonly swaps: Numeric | undefined
  /** US dollars of 24 hours. */
  readonly volume: Numeric | null | undefined
  /** US dollars. */
  readonly liquidity: Numeric | null | undefined
}

const young = "A token that hardly anybody traded yesterday may be traded for any sum today."

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
    "Traded value of all pairs that hold the token, in the last 24 hours.",
    { mayJump: young }
  ),
  dex_swaps_24h: mayDropToZero(
    "count",
    "Buys and sells in all pairs that hold the token, in the last 24 hours.",
    { mayJump: young }
  ),
  dex_pairs_active: mayDropToZero("count", "Pairs that hold the token and saw a swap in the last 24 hours."),
  dex_venues_active: mayDropToZero("count", "Exchanges with such a pair, per chain.")
} as const satisfies Record<string, Metric>

/** What holds between them: an active pair has a swap, and stands on one exchange. */
export const dexRelations = [
  atMost("dex_venues_active", "dex_pairs_active"),
  atMost("dex_pairs_active", "dex_swaps_24h")
] as const

/** Hexadecimal addresses are the same in any case; others, such as those of Solana, are not. */
export const sameAddress = (a: string | undefined, b: string): boolean =>
  a === b || (b.startsWith("0x") && a?.toLowerCase() === b.toLowerCase())

/** A pool that is over 1,000 times as large as its day's trade, with no swap, is decoration. */
const isFake = ({ liquidity, swaps, volume }: Pair): boolean =>
  swaps === 0 &&
  combine([liquidity ?? 0, volume ?? 0], ([liquidity, volume]) => liquidity > 1000 * volume) === true

/** The sum of what was measured; of nothing measured, nothing. */
const sumOf = (values: ReadonlyArray<Numeric | null | undefined>) =>
  sum(values.filter((value) => value !== null && value !== undefined))

/** A pair without a swap has no volume, whether that is said or not. */
const volumeOf = ({ swaps, volume }: Pair) => volume ?? (swaps === 0 ? 0 : undefined)

/** The price in the deepest of these pairs. Among several, a depth that cannot be read may be the largest. */
const priceOf = (priced: ReadonlyArray<Pair>): Reading => {
  if (priced.length < 2) return priced[0]?.price
  const deepest = largest(priced.map(({ liquidity }) => liquidity ?? 0))
  if (!isNumber(deepest)) return deepest
  return priced.find(({ liquidity }) => isSame(liquidity ?? 0, deepest))?.price
}

/**
 * The readings of a token's pairs; of none, no readings. Swaps and volume are those of all pairs, so that a pair which
 * does not tell leaves the total out; liquidity is told by some kinds of pool only, and is that of those.
 */
export const dexValues = (
  pairs: ReadonlyArray<Pair>
): { readonly [K in keyof typeof dexMetrics]?: Reading } => {
  const sound = pairs.filter((pair) => !isFake(pair))
  const priced = sound.filter(({ price }) => price !== undefined)
  const swaps = sum(pairs.map((pair) => pair.swaps))
  const active = pairs.filter((pair) => isNumber(pair.swaps) && compareNumbers(pair.swaps, 0) > 0)
  // If the swaps of one pair are missing or invalid, so is every count derived from them.
  const isCounted = isNumber(swaps)
  const venues = active.map(({ venue }) => venue)
  return {
    dex_price_usd: priceOf(priced),
    dex_liquidity_usd: sumOf(sound.map(({ liquidity }) => liquidity)),
    dex_volume_24h_usd: sum(pairs.map(volumeOf)),
    dex_swaps_24h: swaps,
    dex_pairs_active: isCounted ? active.length : swaps,
    dex_venues_active: !isCounted ? swaps : venues.includes(undefined) ? undefined : new Set(venues).size
  }
}
