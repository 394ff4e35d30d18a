/** The lamps of a published value, from what was checked of it. */
import { Effect } from "effect"
import type { PublishedValue } from "../../../core/log/record/shortAddress.ts"
import { valueEvidence } from "../../../core/log/record/valueEvidence.ts"
import { assurances } from "../../assurances.ts"
import { lampsOf } from "../html/lamps.ts"

/** None is lit where the value is not in the log yet. */
export const lampsFor = Effect.fn("explorer.lampsFor")(function* (value: PublishedValue | undefined) {
  const here = yield* assurances
  return lampsOf(value && (yield* valueEvidence(value)), here)
})
