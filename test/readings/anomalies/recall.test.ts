/** The aim of the rules on planted faults, small and with fixed seeds; `npm run bench -- anomalies` has the whole of it. */
import { assert, it } from "@effect/vitest"
import { madeSeries } from "./made.ts"
import { faultKinds, outcomeOf, precisionOf, recallOf, together } from "./planted.ts"

it("finds 8 of 10 planted faults, and is right in half of what it says", () => {
  const outcome = together([21, 22].map((seed) => outcomeOf(madeSeries(seed, 24, 60), { every: 4, seed })))
  assert.isAtLeast(outcome.planted, 60)
  // One fault in 200 days of a series.
  assert.isAtLeast(outcome.judged / outcome.planted, 150)
  assert.isAtLeast(recallOf(outcome), 0.8)
  assert.isAtLeast(precisionOf(outcome), 0.5)
  for (const kind of faultKinds) assert.isAtLeast(outcome.faults.get(kind)?.planted ?? 0, 1, kind)
})
