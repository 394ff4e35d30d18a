/** What people read when a source was asked again. */
import { assert, it } from "@effect/vitest"
import type { Comparison, RecheckResponse } from "../../../core/wire/data/recheck.ts"
import { recheckSentence } from "../../../http/explorer/html/recheck.ts"

const reading = (value: number) => ({ value, as_of: "2026-09-05T12:00:00Z" })
const answer = (comparison?: Comparison): RecheckResponse => ({
  symbol: "FIL",
  metric: "nodes_online",
  source: "feed",
  unit: "count",
  state: comparison === undefined ? "running" : "done",
  asked_utc: "2026-09-05T12:00:00Z",
  next_utc: "2026-09-05T12:10:00Z",
  ...(comparison === undefined ? {} : { comparison, checked_utc: "2026-09-05T12:00:02Z" })
})

it("says the number that the source gives, and where it stands, or why there is none", () => {
  assert.isUndefined(recheckSentence(answer()))
  const served = reading(41)
  const of = (comparison: Omit<Comparison, "served">) =>
    recheckSentence(answer({ served, ...comparison })) ?? ""
  const exact = of({
    verdict: "exact",
    again: reading(41),
    difference_pct: 0,
    place: { kind: "in_body", pointer: "/online", body_sha256: "ab".repeat(32) }
  })
  assert.match(
    exact,
    /^Asked at .*, the source says the same: 41\. It stands in the answer as such, at \/online\.$/
  )
  const near = of({
    verdict: "within_10_pct",
    again: reading(43),
    difference_pct: 4.878,
    place: { kind: "derived" }
  })
  assert.match(near, /the source says 43, \+4\.9 % against the value shown\. It is computed from others/)
  assert.match(
    of({ verdict: "gone", reason: "below its minimum" }),
    /has no such figure now: below its minimum\.$/
  )
  assert.match(
    of({ verdict: "unreachable", reason: "HTTP 503" }),
    /gave no answer that can be read: HTTP 503\.$/
  )
})
