/** `SqlClient` on a Postgres server. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Layer, type Redacted } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { chunkRows } from "../../core/data/ingest/Ingest.ts"

/** Listeners, transactions and streams each hold a connection; with fewer than four they can deadlock. */
export const leastConnections = 4

export const layer = (
  url: Redacted.Redacted,
  connections = 10
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, SqlError> =>
  Layer.merge(
    PgClient.layer({
      url,
      maxConnections: Math.max(leastConnections, connections),
      multiplex: true,
      applicationName: "plumbline"
    }),
    Layer.succeed(chunkRows, 5000)
  )
