/** `SqlClient` on a Postgres server. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { chunkRows } from "../../core/data/ingest/Ingest.ts"

/** Listeners, transactions and streams each hold a connection; with fewer than four they can deadlock. */
export const leastConnections = 4

/**
 * A process that is frozen in a transaction holds its locks, and with them every writer of the others: the server ends the
 * session of one that says nothing for so long.
 */
const longestPause = "30s"

/** A statement that waits longer than this for a lock fails, and whoever asked says so: a wait without an end is silent. */
const longestWait = "2min"

export const layer = (
  url: Redacted.Redacted,
  connections = 10
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  Layer.merge(
    PgClient.layer({
      url,
      maxConnections: Math.max(leastConnections, connections),
      multiplex: true,
      applicationName: "plumbline",
      startupParameters: { idle_in_transaction_session_timeout: longestPause, lock_timeout: longestWait }
    }),
    Layer.succeed(chunkRows, 100_000)
  )
