/**
 * Who changes readings does so alone: a reading, its day and its latest row depend on what stands there already, and a
 * day must not be sealed in a batch while a reading enters it. One lock for all of it, held for one transaction: the
 * whole estate writes a few dozen rows a second, so that replicas hardly ever wait for each other.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

/** "Plum" in ASCII: the space of this service's advisory locks. */
const space = 0x506c756d
const readings = 1

/** Runs `work` in a transaction that no other writer of readings shares: what it reads stands until it is committed. */
export const withWriterLock = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  options: {
    /** Its commit need not have reached the disk: a later one of this run will, and all before it with that. */
    readonly soon?: boolean
  } = {}
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lock = sql`pg_advisory_xact_lock(${space}::int, ${readings}::int)`
    return yield* (
      options.soon === true
        ? sql`select ${lock}, set_config('synchronous_commit', 'off', true)`
        : sql`select ${lock}`
    ).pipe(Effect.andThen(work), sql.withTransaction)
  })
