/** Fills the disk of an embedded database whose folder is argument 1, one insert after the other. */
import { join } from "node:path"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Pglite from "../../runtime/database/Pglite.ts"

Effect.runFork(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table filler (text text)`
    yield* Effect.forever(
      Effect.exit(sql`insert into filler select repeat('x', 500) from generate_series(1, 4000)`)
    )
  }).pipe(Effect.provide(Pglite.layer({ dataDir: join(process.argv[2] ?? "", "pglite") })))
)
