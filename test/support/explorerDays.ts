/** A few days of one network for the explorer: closed ones, a gap, and today. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as Runs from "./runs.ts"

/** The 2nd of September has no reading. */
const readings = [
  [298, "2026-08-31T01:00:00Z"],
  [299, "2026-09-01T01:00:00Z"],
  [301, "2026-09-03T01:00:00Z"],
  [302, "2026-09-03T02:00:00Z"],
  [304, "2026-09-04T04:00:00Z"]
] as const

/** Done once for each service. */
const done = new WeakSet<object>()

export const storeExplorerDays = Effect.gen(function* () {
  const ingest = yield* Ingest
  yield* TestClock.setTime(Date.UTC(2026, 8, 4, 8))
  if (done.has(ingest)) return
  done.add(ingest)
  const rows = readings.map(([value, as_of]) =>
    Runs.row(value, as_of, { symbol: "FIL", metric: "active_storage_providers", source: "made-up" })
  )
  yield* ingest.write(Runs.delivery(Date.UTC(2026, 8, 4, 7), rows, "made-up"))
  yield* (yield* DailyClose).run
})
