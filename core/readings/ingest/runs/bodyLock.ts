/**
 * Keeps removals of bodies apart from runs. A run stores its bodies before the transaction that names them, and a body that
 * is there already is not stored again: so a removal must not come between. Only the transaction waits for one under way.
 */
import { Effect, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { advisoryLock } from "../../../sql/advisoryLock.ts"
import { rowsOf } from "../../../sql/rows.ts"

const bodies = advisoryLock("bodies")

const countRows = rowsOf({ n: Schema.String })

/** How many removals there have been, as a column; null while one is under way. It waits for nothing. */
export const removals = (sql: SqlClient.SqlClient) => sql`
  case when pg_try_advisory_xact_lock_shared(${bodies.space}::int, ${bodies.number}::int)
    then coalesce(pg_sequence_last_value('body_removal'), 0)::text end`

/** For the rest of the transaction no removal begins. True if none has been since `before`. */
export const unremoved = Effect.fnUntraced(function* (before: string | null) {
  const sql = yield* SqlClient.SqlClient
  // The lock is taken before the number is read.
  const [row] = yield* sql`
    select coalesce(pg_sequence_last_value('body_removal'), 0)::text as n
    from (select pg_advisory_xact_lock_shared(${bodies.space}::int, ${bodies.number}::int) offset 0) locked`.pipe(
    countRows
  )
  return before !== null && row?.n === before
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
