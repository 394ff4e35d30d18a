/** `/v1/corrections`: everything that was put right, withheld or reported, in one signed answer. */
import { Effect } from "effect"
import * as DataClock from "../clock/DataClock.ts"
import { incidents } from "../log/record/incidents.ts"
import { isoTime } from "../plugin/Value.ts"
import { revisions } from "../readings/read/revisions.ts"
import type { CorrectionsResponse } from "../wire/log/corrections.ts"
import { reports } from "./reports.ts"

/** Of each kind, the newest. */
const most = 100

export const corrections = Effect.fn("Publications.corrections")(function* () {
  // Without a parameter of a caller there is none that could be wrong.
  const withheld = yield* Effect.catchTag(
    incidents({ limit: most }),
    ["BadParameter", "UnknownSymbol"],
    Effect.die
  )
  const changed = yield* Effect.catchTag(
    revisions({ limit: most }),
    ["BadParameter", "UnknownSymbol"],
    Effect.die
  )
  const response: CorrectionsResponse = {
    generated_utc: isoTime(yield* DataClock.now),
    incidents: withheld.incidents,
    revisions: changed.revisions,
    reports: yield* reports(most)
  }
  return response
})
