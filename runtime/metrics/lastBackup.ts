/** When the database was backed up last: a backup that nobody makes any more is noticed before somebody needs it. */
import { Clock, Effect } from "effect"
import { storedFact, storeFact } from "../../core/sql/keyValue.ts"

const fact = "backup_made_at"

/** Notes that a backup is whole that was begun at a time, ISO 8601 UTC. */
export const noteBackup = (madeAt: string) => storeFact(fact, madeAt)

/** Milliseconds since the newest backup was begun; undefined where `plumbline backup` never made one. */
export const backupAge = Effect.gen(function* () {
  const madeAt = yield* storedFact(fact)
  // Backups are dated by the clock on the wall, also those of a replay.
  return madeAt === undefined ? undefined : Math.max(0, (yield* Clock.currentTimeMillis) - Date.parse(madeAt))
})
