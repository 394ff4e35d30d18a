/**
 * The constants of the rules, each once: the page that explains them and the program that recomputes a finding read these. They were
 * chosen on one seed of `npm run bench -- anomalies`, which prints how often they are wrong on others.
 */
export const constants = {
  /** Closed days before the judged one that a rule looks at: four weeks, so that each weekday is among them four times. */
  window: 28,
  /** Fewer moves than this say nothing about how a series moves. */
  fewest: 8,
  /** Days between two closed values that still are one move. */
  longestGap: 3,
  /**
   * What a median absolute deviation is multiplied by to estimate a standard deviation (Rousseeuw and Croux 1993, J. Am. Stat. Assoc.
   * 88:1273).
   */
  consistency: 1.4826,
  /** Robust standard deviations from the usual move at which a move is unusual. */
  deviations: 12,
  /** And it is larger than the third largest move of the baseline times this: one fault goes and comes back, and is two of them. */
  beyondLargest: 2,
  /** The least spread of moves in proportion, as a logarithm: a series that stood still has none of its own. */
  leastRatio: 0.005,
  /** The least spread of moves of percentages, in points. */
  leastPoints: 0.25,
  /** Networks or places of a category, the judged one among them, that are needed to compare it with. */
  fewestPeers: 6,
  /** Moves of a series that only rises, before a fall is unusual, and the share of them that are no standstill. */
  fewestRises: 14,
  risingShare: 0.8,
  /** The probability below which the same value again is no chance. */
  repeats: 1e-4
} as const
