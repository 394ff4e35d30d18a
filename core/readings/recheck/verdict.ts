/** Whether a figure that was read again is the one that is served. */

/** A reading, as far as it is compared. */
export interface Figure {
  readonly value: number
  /** The exact decimal number, where a double may not represent it. */
  readonly value_text?: string | undefined
}

/**
 * `exact`: the same number. `within_1_pct`, `within_10_pct`: the difference is so large a part of the served value. `moved`: it is
 * larger, or the served value was 0.
 */
export const closeness = ["exact", "within_1_pct", "within_10_pct", "moved"] as const
export type Closeness = (typeof closeness)[number]

/** The difference in percent of the served value; undefined if that is 0. */
export const differencePct = (served: Figure, again: Figure): number | undefined =>
  served.value === 0 ? undefined : ((again.value - served.value) / Math.abs(served.value)) * 100

const isSame = (a: Figure, b: Figure): boolean =>
  a.value_text !== undefined && b.value_text !== undefined
    ? a.value_text === b.value_text
    : a.value === b.value

export const closenessOf = (served: Figure, again: Figure): Closeness => {
  if (isSame(served, again)) return "exact"
  const pct = differencePct(served, again)
  if (pct === undefined || Math.abs(pct) > 10) return "moved"
  return Math.abs(pct) > 1 ? "within_10_pct" : "within_1_pct"
}
