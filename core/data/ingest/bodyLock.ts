/**
 * Keeps removals of bodies apart from runs. A run stores its bodies before the transaction that names them, and a body that
 * is there already is not stored again: so a removal must not come between. Only the transaction waits for one under way.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { advisoryLock } from "../advisoryLock.ts"
import { rowsOf } from "../rows.ts"

const bodies = advisoryLock("bodies")

const countRows = rowsOf({ n: Schema.NullOr(Schema.String) })

/** How many removals there have been; undefined while one is under way. It waits for nothing. */
export const removals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql`
    select case when pg_try_advisory_xact_lock_shared(${bodies.space}::int, ${bodies.number}::int)
      then coalesce(pg_sequence_last_value('body_removal'), 0)::text end as n`.pipe(countRows)
  return found?.n ?? undefined
})

/** For the rest of the transaction no removal begins. True if none has been since `before`. */
export const unremoved = Effect.fnUntraced(function* (before: string | undefined) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_advisory_xact_lock_shared(${bodies.space}::int, ${bodies.number}::int)`
  return before !== undefined && (yield* removals) === before
})

/** Removes bodies in a transaction: one process at a time, and after the runs that are being written. */
export const removing = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql`select pg_advisory_xact_lock(${bodies.space}::int, ${bodies.number}::int)`.pipe(
      // No rollback takes the number back, so a removal that is cut off counts as well.
      Effect.andThen(sql`select nextval('body_removal')`),
      Effect.andThen(work),
      sql.withTransaction
    )
  )
