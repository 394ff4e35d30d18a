/** Whose key signed a proof, and whether this browser has met it before. */
import type { Check } from "../../../../core/proof/check.ts"
import { formatDay } from "../../html/format.ts"
import type { SeenKeys } from "../parts/store.ts"

const kidIn = /\bkey ([A-Za-z0-9_-]{43})\b/

/** The keys that the checks of the head name, where its signature holds. */
export const signersOf = (checks: ReadonlyArray<Check>): ReadonlyArray<string> =>
  checks.some(({ name, ok }) => name === "checkpoint signature" && ok === true)
    ? [
        ...new Set(
          checks
            .filter(({ name }) => name === "key in use" || name === "operator's key")
            .flatMap(({ detail }) => kidIn.exec(detail)?.[1] ?? [])
        )
      ]
    : []

/** What this browser knows of the key, in a sentence. */
export const seenWords = (keys: SeenKeys, checks: ReadonlyArray<Check>): string => {
  const [kid] = signersOf(checks)
  const since = kid === undefined ? undefined : keys[kid]
  return since === undefined
    ? "This browser has not seen this key before."
    : `It is the key that this browser first saw on ${formatDay(since)}.`
}
