/** What a rule says of a closed value. It excludes nothing: it asks a reader to look. */
import type { AnomalyRule } from "../../wire/data/anomalies.ts"
import type { DatedValue } from "../change.ts"

/** Series that one was compared with. */
export interface Comparison {
  readonly n: number
  /** The median of their moves, or of their values, as the rule says. */
  readonly median: number
}

/** An unusual value of a closed day. */
export interface Finding {
  readonly rule: AnomalyRule
  readonly day: DatedValue
  /** The closed value before it. */
  readonly before: DatedValue
  /**
   * Robust standard deviations of the move from the usual one; of `flat`, the negative decimal logarithm of the probability that the value
   * repeats by chance.
   */
  readonly score: number
  /** Where the value was expected, in its unit. */
  readonly low: number
  readonly high: number
  /** Moves between closed days that it was compared with. */
  readonly baseline_days: number
  /** What it was compared with. Stored under this name. */
  readonly beside?: Comparison
  /** One sentence with the numbers. */
  readonly why: string
}
