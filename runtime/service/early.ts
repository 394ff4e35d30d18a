/**
 * What `plumbline serve` begins before its own code is loaded. This module imports only Node, and modules that do the same.
 */
import * as Collector from "../collector/thread.ts"
import * as NewFolder from "../database/newFolder.ts"
import * as Demo from "../demo/thread.ts"
import { embeddedIn, usualDataDir } from "../settings/dataDir.ts"

/** The embedded database that `serve` will open with these flags; undefined if it opens none, or perhaps none. */
export const databaseOf = (
  flags: ReadonlyArray<string>,
  { DATA_DIR, DATABASE_URL }: NodeJS.ProcessEnv
): string | undefined => {
  const isDemo = flags[0] === "--replay"
  if (flags.length > (isDemo ? 1 : 0) || DATABASE_URL !== undefined || DATA_DIR === "") return undefined
  return embeddedIn(DATA_DIR ?? usualDataDir[isDemo ? "replay" : "live"])
}

/** Begins what takes long: the folder of a new database, and the thread, which loads about as much code as this one. */
export const startEarly = (flags: ReadonlyArray<string>, environment: NodeJS.ProcessEnv): void => {
  const database = databaseOf(flags, environment)
  const isNew = database !== undefined && NewFolder.startEarly(database)
  if (flags.includes("--replay")) Demo.startEarly({ isNew })
  else Collector.startEarly(new URL("../../plugins/", import.meta.url))
}
