/**
 * The embedded database as it is at one moment, in a folder of its own: it has one session, so whoever reads all of it would
 * hold up everybody else. The copy is what a killed process would leave, and opens as that does.
 */
import { rm } from "node:fs/promises"
import { Context, Effect, type Scope, Semaphore } from "effect"
import { DiskError, onDisk } from "../outside/disk.ts"
import { prefixOf } from "./newFolder.ts"

/** Gives the folder, which is removed with the scope. Undefined on Postgres, whose sessions read beside each other. */
export const Snapshot = Context.Reference<Effect.Effect<string, DiskError, Scope.Scope> | undefined>(
  "runtime/database/Snapshot",
  { defaultValue: () => undefined }
)

/** Snapshots of the database in a folder, one after the other. A start removes what a killed process left. */
export const snapshots = (dataDir: string, copyTo: (folder: string) => Effect.Effect<void, DiskError>) => {
  const turn = Semaphore.makeUnsafe(1)
  const folder = `${prefixOf(dataDir)}-snapshot`
  const remove = onDisk(() => rm(folder, { recursive: true, force: true }))
  return Effect.acquireRelease(turn.take(1), () => turn.release(1)).pipe(
    Effect.andThen(Effect.acquireRelease(remove, () => Effect.ignore(remove))),
    Effect.andThen(copyTo(folder)),
    Effect.as(folder),
    Effect.mapError(
      ({ message }) => new DiskError({ message: `the database cannot be copied beside itself: ${message}` })
    )
  )
}
