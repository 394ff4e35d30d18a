/** Scheduled maintenance of the database. */
import { Effect, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Changes } from "../../core/data/Changes.ts"
import * as DataClock from "../../core/data/DataClock.ts"
import { removeOld } from "../../core/data/ingest/bodies.ts"
import * as partitions from "../../core/data/ingest/partitions.ts"
import { removeOldUptime } from "../../core/data/Uptime.ts"
import { onDuty } from "../cluster/Duties.ts"
import { Settings } from "./Settings.ts"

/**
 * Removes the bodies whose retention is over. Not while the demo plays its past: its thread finds a body that is there, and
 * does not store it again for the run to come.
 */
export const removingBodies = Effect.gen(function* () {
  const { keepBodiesDays } = yield* Settings
  const bodies = yield* removeOld(yield* DataClock.now, keepBodiesDays)
  if (bodies > 0) yield* Effect.logInfo("removed expired raw bodies", { bodies })
  yield* (yield* Changes).tell("retention")
})

/** Creates partitions ahead of time, drops readings whose retention is over, and vacuums the embedded engine. */
export const maintenance = onDuty(
  "database maintenance",
  "6 hours",
  Effect.gen(function* () {
    const settings = yield* Settings
    const sql = yield* SqlClient.SqlClient
    const now = yield* DataClock.now
    yield* partitions.ensure(now)
    const dropped = yield* partitions.dropBefore(now, settings.keepReadingsDays)
    if (dropped.length > 0) yield* Effect.logInfo("dropped expired readings", { dropped })
    yield* removeOldUptime(now)
    yield* (yield* Changes).tell("retention")
    // The embedded engine has no autovacuum.
    if (Option.isNone(settings.databaseUrl))
      yield* sql.unsafe("vacuum (analyze) latest, daily, series, run, fact, rows_read, account")
  })
)
