/** What this browser remembers, as the verifier is given it, and what the verifier found about it. */
import { raiseContradiction } from "../parts/alarm.ts"
import { seenKeys, storeContradiction, storedHeads, storeHead, trusted } from "../parts/store.ts"
import type { Growth, Memory } from "../verifier/heads.ts"

export const memory = (): Memory => ({ heads: storedHeads(), trusted: trusted(), keys: seenKeys() })

/**
 * Keeps the newer head, or the contradiction, which raises the alarm. `before` is what the verifier was given: a head that was kept
 * since, by another look or in another tab, was not compared with this one, and stays until the next look.
 */
export const remember = ({ contradiction, keep }: Growth, before: Memory): void => {
  if (keep !== undefined && storedHeads()[keep.origin]?.note === before.heads[keep.origin]?.note)
    storeHead(keep.origin, keep.head)
  if (contradiction === undefined) return
  storeContradiction(contradiction)
  raiseContradiction(contradiction)
}
