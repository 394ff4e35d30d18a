/**
 * The client for statements that are answered at once or not at all: whether the database responds, what time it has. It has
 * connections of its own where the database is a server, so that none of them waits behind another's work.
 */
import { Context, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

export const Pulse = Context.Reference<SqlClient.SqlClient | undefined>("core/process/Pulse", {
  defaultValue: () => undefined
})

/** The client; that of everybody else where none was provided. */
export const pulse: Effect.Effect<SqlClient.SqlClient, never, SqlClient.SqlClient> = Effect.flatMap(
  Pulse,
  (client) => (client === undefined ? SqlClient.SqlClient : Effect.succeed(client))
)
