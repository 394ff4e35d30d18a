/** Publishes the openings and closings of incidents, the confirmations of feeds, the keys and the permissions, between the daily closes. */
import { Context, Duration, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import * as DataClock from "../clock/DataClock.ts"
import { newestPlace, unloggedChanges } from "../readings/ingest/compare/changesToLog.ts"
import { withWriterLock } from "../readings/ingest/writerLock.ts"
import { Permissions } from "../rights/Permissions.ts"
import { rowsOf } from "../sql/rows.ts"
import { feedEntries } from "./feedChanges.ts"
import { incidentEntries } from "./incidentEvents.ts"
import { keysAreDue, keysEntries } from "./keysEntry.ts"
import { Log, type LogHalted, LogKey } from "./Log.ts"
import { permissionsAreDue, permissionsEntries } from "./permissionsEntry.ts"

/** Events of this time go into one head. */
const gathering = Duration.toMillis("10 minutes")

const lastRows = rowsOf({ recorded_at: Schema.Date })

export class IncidentLog extends Context.Service<
  IncidentLog,
  {
    /**
     * Logs what is not in the log yet: keys and permissions at once, the rest unless some was logged in the last 10 minutes; the daily close
     * logs the events of incidents that are left. Returns the number of entries.
     */
    readonly run: Effect.Effect<number, LogHalted | SqlError>
  }
>()("core/log/IncidentLog") {
  static readonly layer = Layer.effect(
    IncidentLog,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const log = yield* Log
      const logKey = yield* LogKey
      const { simulated } = logKey
      const permissions = yield* Permissions

      const appendKeys = Effect.gen(function* () {
        const now = yield* DataClock.now
        const keys = yield* keysEntries(now, simulated)
        if (keys.entries.length > 0) yield* keys.placed(yield* log.append(keys.entries, now))
        return keys.entries.length
      })

      const appendPermissions = Effect.gen(function* () {
        const now = yield* DataClock.now
        const entries = yield* permissionsEntries(now, simulated)
        if (entries.length > 0) yield* log.append(entries, now)
        return entries.length
      })

      const append = Effect.gen(function* () {
        const now = yield* DataClock.now
        const [last] = yield* sql`
          select l.recorded_at from log_entry l where l.place = greatest(
            (select log_index from incident_event where n is not null order by n desc limit 1),
            ${newestPlace(sql)}
          )`.pipe(lastRows)
        if (last !== undefined && now - last.recorded_at.getTime() < gathering) return 0
        const incidents = yield* incidentEntries(now, simulated)
        const feeds = yield* feedEntries(now, simulated)
        const entries = [...incidents.entries, ...feeds.entries]
        if (entries.length === 0) return 0
        const place = yield* log.append(entries, now)
        yield* incidents.placed(place)
        yield* feeds.placed(place + incidents.entries.length)
        return entries.length
      })

      const run = Effect.gen(function* () {
        const waiting = yield* sql`
          select 1 from incident_event where n is null
          union all select 1 from (${unloggedChanges(sql)}) c limit 1`
        const due = yield* keysAreDue
        const keys = due ? yield* withWriterLock(appendKeys) : 0
        const permitted = (yield* permissionsAreDue) ? yield* withWriterLock(appendPermissions) : 0
        const logged = keys + permitted + (waiting.length === 0 ? 0 : yield* withWriterLock(append))
        if (logged > 0) yield* log.refresh
        return logged
      }).pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        Effect.provideService(LogKey, logKey),
        Effect.provideService(Permissions, permissions),
        Effect.withSpan("IncidentLog.run")
      )

      return IncidentLog.of({ run })
    })
  )
}
