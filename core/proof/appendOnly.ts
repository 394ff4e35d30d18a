/** The rule that a log only grows: a later head extends an earlier one. */
import { equalBytes } from "./bytes.ts"
import { demand } from "./check.ts"
import type { Checkpoint } from "./checkpoint.ts"
import { verifyConsistency } from "./merkle.ts"

/**
 * Throws `Malformed` unless the log of `now` begins with that of `before`. `path` is the consistency proof between the two; undefined
 * if it could not be obtained.
 */
export const demandExtends = (
  before: Checkpoint,
  now: Checkpoint,
  path: ReadonlyArray<Uint8Array> | undefined
): void => {
  demand(
    before.origin === now.origin,
    `the checkpoints belong to different logs: ${before.origin} and ${now.origin}`,
    "origin"
  )
  demand(
    now.size >= before.size,
    `stale: the log shows ${now.size} entries, but you kept ${before.size}; it was rolled back, or this is an old copy`,
    "contradiction"
  )
  demand(
    now.size !== before.size || equalBytes(now.root, before.root),
    `two different roots for ${now.size} entries: history was rewritten`,
    "contradiction"
  )
  demand(
    path !== undefined,
    "no consistency proof could be built from the kept checkpoint to the current one",
    "missing"
  )
  demand(
    verifyConsistency({
      firstSize: before.size,
      firstRoot: before.root,
      secondSize: now.size,
      secondRoot: now.root,
      path
    }),
    `the log of ${now.size} entries does not start with the ${before.size} you kept: history was rewritten`,
    "hash"
  )
}
