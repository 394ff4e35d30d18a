/** The upkeep of the database, which goes on without being asked. */
import { Effect, Option } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/data/DataClock.ts"
import { removeOld } from "../../core/data/ingest/bodies.ts"
import * as partitions from "../../core/data/ingest/partitions.ts"
import { inBackground } from "../../core/data/loop.ts"
import { Settings } from "./Settings.ts"

/** Makes partitions ahead, drops what served its time, and vacuums the engine that does not do so itself. */
export const maintenance = inBackground(
  "database upkeep",
  "6 hours",
  Effect.gen(function* () {
    const settings = yield* Settings
    const sql = yield* SqlClient.SqlClient
    const now = yield* DataClock.now
    yield* partitions.ensure(now)
    const dropped = yield* partitions.dropBefore(now, settings.keepReadingsDays)
    if (dropped.length > 0) yield* Effect.logInfo("dropped readings that served their time", { dropped })
    const bodies = yield* removeOld(now, settings.keepBodiesDays)
    if (bodies > 0) yield* Effect.logInfo("removed raw bodies that served their time", { bodies })
    // The embedded engine has no autovacuum of its own.
    if (Option.isNone(settings.databaseUrl))
      yield* sql.unsafe("vacuum (analyze) latest, daily, series, run, fact, rows_read, account")
  })
)
