/**
 * Dumps a snapshot of the embedded database: `<its folder> <folder of the backup> <name of the folder of tables>`. Apart from the
 * service, which goes on meanwhile: it has an engine of its own, and all rows pass through it.
 */
import { Cause, Effect, Exit } from "effect"
import * as Pglite from "../database/Pglite.ts"
import { dump, type FromChild } from "./dump.ts"

const [snapshot = "", folder = "", database = ""] = process.argv.slice(2)

/** Resolves once it is sent: what ends the process afterwards would take it along. */
const tell = (message: FromChild) =>
  Effect.callback<void>((resume) => {
    if (process.send === undefined) resume(Effect.void)
    else process.send(message, () => resume(Effect.void))
  })

// Whoever asked is gone.
process.on("disconnect", () => process.exit(1))

const exit = await Effect.runPromiseExit(
  dump(folder, database, (line) => tell({ line })).pipe(
    Effect.flatMap((dump) => tell({ dump })),
    Effect.provide(Pglite.layer({ dataDir: snapshot }))
  )
)
if (Exit.isFailure(exit)) {
  const error = Cause.squash(exit.cause)
  await Effect.runPromise(tell({ failed: error instanceof Error ? error.message : String(error) }))
}
process.exit()
