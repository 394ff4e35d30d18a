/** Puts the folder of an embedded database in its place. Only the owner of `DATA_DIR` may. */
import { readdir, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { Effect } from "effect"
import { onDisk } from "../outside/disk.ts"
import { isMade, make, prefixOf, takeEarly } from "./newFolder.ts"

/**
 * Does nothing where the folder is made. It appears whole or not at all. The error says why it cannot be made; what there is
 * of it stays until the scope ends, so that the disk is seen as it was.
 */
export const initdb = Effect.fnUntraced(function* (dataDir: string) {
  const early = takeEarly(dataDir)
  if (isMade(dataDir)) early?.discard()
  else {
    const { ready, path } = yield* Effect.acquireRelease(
      Effect.sync(() => early ?? make(dataDir)),
      ({ discard }) => Effect.sync(discard)
    )
    // biome-ignore lint/plugin/promise: it does not reject
    const fault = yield* Effect.promise(() => ready)
    if (fault !== undefined) return yield* Effect.fail(fault)
    yield* Effect.mapError(
      onDisk(() => rename(path, dataDir)),
      ({ message }) => message
    )
  }
  yield* Effect.ignore(onDisk(() => removeOthers(dataDir)))
})

/**
 * Removes what killed processes left. What a process that is starting makes goes with it: the directory is owned, and now
 * that there is a database, no new folder is put in its place.
 */
const removeOthers = async (dataDir: string): Promise<void> => {
  const folder = dirname(dataDir)
  const others = (await readdir(folder)).filter((name) => name.startsWith(prefixOf(basename(dataDir))))
  await Promise.all(others.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}
