/**
 * Serialises all writers of readings: a reading, its day and its latest row depend on what is already stored, and a day must
 * not be sealed in a batch while a reading enters it. One lock per transaction is enough, because the whole service writes
 * only a few dozen rows per second.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { advisoryLock } from "../../sql/advisoryLock.ts"

const readings = advisoryLock("readings")

/** Runs `work` in a transaction under the writer lock: what it reads cannot change before it commits. */
export const withWriterLock = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  options: {
    /** The commit need not be synced to disk: a later commit of the same run syncs it too. */
    readonly soon?: boolean
  } = {}
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lock = sql`pg_advisory_xact_lock(${readings.space}::int, ${readings.number}::int)`
    return yield* (
      options.soon === true
        ? sql`select ${lock}, set_config('synchronous_commit', 'off', true)`
        : sql`select ${lock}`
    ).pipe(Effect.andThen(work), sql.withTransaction)
  })
