/** When a delivery is retried. */
import { hour } from "../plugin/time.ts"

/** A delivery is given up this long after it was due first, in milliseconds. A target that fails as long is paused. */
export const giveUpAfter = 48 * hour

/** The wait after the first failure, in milliseconds; each later one is three times as long. */
const first = 10_000

/** The wait after as many failures, in milliseconds. `share` from 0 to 1 spreads it by a tenth. */
export const waitAfter = (failures: number, share: number): number =>
  Math.min(first * 3 ** Math.max(0, failures - 1), giveUpAfter) * (0.95 + 0.1 * share)

/** The time of the next attempt, epoch milliseconds: at the latest when it is given up; undefined: it is given up now. */
export const nextAttempt = (
  now: number,
  {
    attempts,
    giveUpAt,
    share
  }: { readonly attempts: number; readonly giveUpAt: number; readonly share: number }
): number | undefined => (now >= giveUpAt ? undefined : Math.min(now + waitAfter(attempts, share), giveUpAt))
