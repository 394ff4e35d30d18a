/**
 * Whether the last step of a path is unusual: one test, which the rules put to the series itself, to the series beside its peers and
 * beside its other sources.
 */
import { median, medianAbsoluteDeviation } from "simple-statistics"
import { constants } from "./constants.ts"

/** The last place of a path beside the places before it. */
export interface Step {
  /**
   * `|move - usual| / spread`, in robust standard deviations: the modified z-score (Iglewicz and Hoaglin 1993, "How to Detect and Handle
   * Outliers") of the last move.
   */
  readonly score: number
  readonly move: number
  /** The median of the moves before. */
  readonly usual: number
  /** Where the path was expected, in its own measure. */
  readonly low: number
  readonly high: number
  /** Moves before. */
  readonly n: number
}

/** The value of a sorted list at a place from its end; the last one that it has. */
const fromEnd = (sorted: ReadonlyArray<number>, place: number): number => sorted.at(-place) ?? sorted[0] ?? 0

/**
 * The last step of a path, oldest place first; undefined with fewer moves before it than `constants.fewest`. `least` is the smallest
 * spread that its moves are taken to have.
 *
 * The usual move is the median of the moves before, the spread 1.4826 times their median absolute deviation. The expected range is what
 * the path reaches from its place before by the usual move and `constants.deviations` spreads, or by the third largest move of the
 * baseline times `constants.beyondLargest`, whichever is more. It also holds everything between the second lowest and the second highest
 * place of the baseline: who comes back to where the path was, after a fault or a weekend, does nothing unusual.
 */
export const lastStep = (path: ReadonlyArray<number>, least: number): Step | undefined => {
  const [last, before] = [path.at(-1), path.at(-2)]
  const places = path.slice(0, -1)
  const moves = places.slice(1).map((place, at) => place - (places[at] ?? place))
  if (last === undefined || before === undefined || moves.length < constants.fewest) return undefined
  const usual = median(moves)
  const spread = Math.max(constants.consistency * medianAbsoluteDeviation(moves), least)
  const sizes = moves.map((move) => Math.abs(move - usual)).sort((a, b) => a - b)
  const reach = Math.max(constants.deviations * spread, constants.beyondLargest * fromEnd(sizes, 3))
  const sorted = places.toSorted((a, b) => a - b)
  const move = last - before
  return {
    score: Math.abs(move - usual) / spread,
    move,
    usual,
    low: Math.min(before + usual - reach, sorted[1] ?? before),
    high: Math.max(before + usual + reach, fromEnd(sorted, 2)),
    n: moves.length
  }
}

/** Whether the path left its expected range. */
export const isOutside = (path: ReadonlyArray<number>, { high, low }: Step): boolean => {
  const last = path.at(-1) ?? low
  return last < low || last > high
}
