/** Gives the transactions that may take long connections of their own, on which the server is waited for longer. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Predicate } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import { MayTakeLong } from "../../core/sql/mayTakeLong.ts"

/** The client `usual`, whose transactions use the connections of `patient` where they may take long. */
export const longTransactions = (usual: PgClient.PgClient, patient: PgClient.PgClient): PgClient.PgClient => {
  const control = (connection: Connection, statement: string) => connection.execute(statement, [], undefined)
  const acquire = Effect.flatMap(MayTakeLong, (long) => (long ? patient : usual).reserve)
  return Object.assign(usual, {
    withTransaction: SqlClient.makeWithTransaction({
      transactionService: usual.transactionService,
      spanAttributes: [],
      acquireConnection: (restore) => restore(acquire),
      begin: (connection: Connection, statement) => control(connection, statement ?? "BEGIN"),
      savepoint: (connection, id) => control(connection, `SAVEPOINT long_${id}`),
      releaseSavepoint: (connection, id) => control(connection, `RELEASE SAVEPOINT long_${id}`),
      commit,
      rollback: (connection) => control(connection, "ROLLBACK"),
      rollbackSavepoint: (connection, id) => control(connection, `ROLLBACK TO SAVEPOINT long_${id}`)
    })
  })
}

/** Postgres answers `ROLLBACK` to the `COMMIT` of a transaction in which something failed. */
const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    Predicate.hasProperty(result, "command") && result.command === "ROLLBACK"
      ? new SqlError({
          reason: new UnknownError({
            cause: new Error("COMMIT rolled back a transaction in which a statement had failed"),
            message: "the transaction was rolled back, because a statement in it had failed",
            operation: "commit"
          })
        })
      : Effect.void
  )
