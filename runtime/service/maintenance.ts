/** What goes on without being asked, again and again. */
import { Effect, Option, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as DataClock from "../../core/data/DataClock.ts"
import { removeOld } from "../../core/data/ingest/bodies.ts"
import * as partitions from "../../core/data/ingest/partitions.ts"
import { Settings } from "./Settings.ts"

/** Does the work now, and as often as that after its end, until the scope ends; a failure is logged. */
export const repeatedly = <A, E extends { readonly message: string }, R>(
  name: string,
  every: "30 seconds" | "1 minute" | "5 minutes" | "6 hours",
  work: Effect.Effect<A, E, R>
) =>
  work.pipe(
    Effect.catch((error) => Effect.logError(`${name} did not come to its end`, { cause: error.message })),
    Effect.repeat(Schedule.spaced(every)),
    Effect.forkScoped
  )

/** Makes partitions ahead, drops what served its time, and vacuums the engine that does not do so itself. */
export const maintenance = repeatedly(
  "dropping what served its time",
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
