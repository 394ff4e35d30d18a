/** Scheduled maintenance of the database. */
import { Effect, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/clock/DataClock.ts"
import { removeOldUsage } from "../../core/credits/Limits.ts"
import { removeOldBodies } from "../../core/credits/x402/Sales.ts"
import { attestedUntil } from "../../core/log/attestedUntil.ts"
import { moveRuns } from "../../core/log/runFiles/moveRuns.ts"
import { removeReturned } from "../../core/log/runFiles/removeReturned.ts"
import { watchRunFiles } from "../../core/log/runFiles/watchRunFiles.ts"
import { removeOldAnomalies } from "../../core/readings/anomalies/Anomalies.ts"
import { Changes } from "../../core/readings/Changes.ts"
import { removeOld } from "../../core/readings/ingest/bodies.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import { removeOldRechecks } from "../../core/readings/recheck/removeOldRechecks.ts"
import { removing } from "../../core/readings/removing.ts"
import { removeOldUptime } from "../../core/readings/Uptime.ts"
import { onDuty } from "../cluster/Duties.ts"
import { Settings } from "../settings/Settings.ts"

/**
 * Removes the bodies whose retention is over. Not while the demo plays its past: its thread finds a body that is there, and
 * does not store it again for the run to come.
 */
export const removingBodies = removing(
  "bodies",
  Effect.fnUntraced(function* (due) {
    const { keepBodiesDays } = yield* Settings
    const limits = { attested: yield* attestedUntil, keepDays: keepBodiesDays }
    const bodies = (yield* removeOld(due, limits)) + (yield* removeReturned(due, limits))
    if (bodies > 0) yield* Effect.logInfo("removed expired raw bodies", { bodies })
    yield* (yield* Changes).tell("retention")
  })
)

/** Moves runs that are long over to files, once their readings and bodies are gone, and looks at the files that there are. */
export const movingRuns = Effect.andThen(
  removing(
    "runs",
    Effect.fnUntraced(function* (due) {
      const { keepRunsDays } = yield* Settings
      const runs = yield* moveRuns(due, { attested: yield* attestedUntil, keepDays: keepRunsDays })
      if (runs > 0) yield* Effect.logInfo("moved runs to files", { runs })
    })
  ),
  watchRunFiles
)

/** Removes rows whose retention is over. Readings wait until their days are sealed, however long the service was off. */
export const removingRows = removing(
  "rows",
  Effect.fnUntraced(function* (due) {
    const { keepReadingsDays } = yield* Settings
    const dropped = yield* partitions.dropBefore(due, {
      attested: yield* attestedUntil,
      keepDays: keepReadingsDays
    })
    if (dropped.length > 0) yield* Effect.logInfo("dropped expired readings", { dropped })
    yield* removeOldUptime(due)
    yield* removeOldUsage(due)
    yield* removeOldBodies(due)
    yield* removeOldRechecks(due)
    yield* removeOldAnomalies(due)
    yield* (yield* Changes).tell("retention")
  })
)

/** Creates partitions ahead of time, removes rows whose retention is over, and vacuums the embedded engine. */
export const maintenance = onDuty(
  "database maintenance",
  "6 hours",
  Effect.gen(function* () {
    const settings = yield* Settings
    const sql = yield* SqlClient.SqlClient
    yield* partitions.ensure(yield* DataClock.now)
    yield* removingRows
    // The embedded engine has no autovacuum.
    if (Option.isNone(settings.databaseUrl))
      yield* sql.unsafe("vacuum (analyze) latest, daily, series, run, exchange, fact, rows_read, account")
  })
)
