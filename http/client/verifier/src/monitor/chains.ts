/** The versions of a series and day: each follows the one before it, and readings never vanish from them. */
import { Malformed } from "../../../../../core/proof/bytes.ts"
import {
  clockTolerance,
  leafBytes,
  leafHashHex,
  type RowLeaf,
  readingsSha256
} from "../../../../../core/proof/leaf.ts"
import type { Chains } from "./past.ts"

/** Throws `Malformed` unless the leaf is the next version after `before`, the newest of its chain in earlier batches. */
export const checkFollows = (leaf: RowLeaf, before: RowLeaf | undefined): void => {
  if (leaf.version === 1) {
    if (before !== undefined)
      throw new Malformed(
        `a first version again: version ${before.version} is in an earlier batch`,
        "contradiction"
      )
    return
  }
  if (before === undefined)
    throw new Malformed("no earlier batch has a leaf that it could follow", "contradiction")
  if (before.version !== leaf.version - 1)
    throw new Malformed(`the newest version in earlier batches is ${before.version}`, "contradiction")
  if (leafHashHex(leafBytes(before)) !== leaf.follows)
    throw new Malformed(
      `\`follows\` is ${leaf.follows}, which is not the hash of version ${before.version}`,
      "hash"
    )
  if (Date.parse(leaf.recorded_at) < Date.parse(before.recorded_at) - clockTolerance)
    throw new Malformed(
      `recorded at ${leaf.recorded_at}, before version ${before.version}, which was recorded at ${before.recorded_at}`,
      "time"
    )
}

/**
 * Throws `Malformed` if the leaf counts fewer readings than the version before, and no other chain of its series and day has
 * any. `now` has the chains as they are after the leaf's batch.
 */
export const checkReadingsStay = (leaf: RowLeaf, before: RowLeaf | undefined, now: Chains): void => {
  if (before === undefined || leaf.n_observations >= before.n_observations) return
  const others = [...now.values()].filter(({ excluded_by }) => excluded_by !== leaf.excluded_by)
  if (!others.some(({ n_observations }) => n_observations > 0))
    throw new Malformed(
      `it counts ${leaf.n_observations} readings instead of ${before.n_observations}, and no other chain of the day has the rest`,
      "contradiction"
    )
}

const hashOfNothing = readingsSha256([])

/** Throws `Malformed` if the hash over the leaf's readings cannot be: one reading is the leaf's own. */
export const checkReadingsHash = (leaf: RowLeaf): void => {
  if (leaf.n_observations > 0 && leaf.readings_sha256 === hashOfNothing)
    throw new Malformed(
      `it counts ${leaf.n_observations} readings, but \`readings_sha256\` is of none`,
      "hash"
    )
  if (leaf.n_observations === 1 && leaf.readings_sha256 !== readingsSha256([leaf]))
    throw new Malformed(
      "it has one reading, but `readings_sha256` is not of the leaf's `as_of` and value",
      "hash"
    )
}
