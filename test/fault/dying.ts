/** An embedded database, of the dump in argument 2, whose thread ends under it between two queries: argument 1 says how. */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Pglite from "../../runtime/database/Pglite.ts"

process.once("worker", (worker) => {
  process.once("message", () => {
    if (process.argv[2] === "error") worker.emit("error", new Error("out of memory"))
    else void worker.terminate()
  })
})

Effect.runFork(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`select 1`
    process.send?.("ready")
    yield* Effect.forever(sql`select 1`)
  }).pipe(Effect.provide(Pglite.layer({ load: readFileSync(process.argv[3] ?? "") })))
)
