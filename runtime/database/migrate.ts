/** Migrates a database to the schema of this code, room by room. */
import { Effect } from "effect"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { migrations as credits } from "../../core/migrations/credits.ts"
import { migrations as data } from "../../core/migrations/data.ts"
import { migrations as log } from "../../core/migrations/log.ts"
import { migrations as publications } from "../../core/migrations/publications.ts"
import { migrations as versions } from "../../core/migrations/versions.ts"
import { migrations as x402 } from "../../core/migrations/x402.ts"

/**
 * The rooms, in the order in which their tables may reference each other, under the name of their migration table. The
 * table for publications keeps its original name, `products`.
 */
const rooms = { data, log, credits, x402, products: publications, versions }

/** Runs the missing migrations. Two processes that start together wait for each other. */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`set client_min_messages to warning`
  for (const [room, migrations] of Object.entries(rooms)) {
    yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table: `migrations_${room}` })
  }
})
