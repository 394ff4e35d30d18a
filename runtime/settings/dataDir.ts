/** Where a service keeps its data. */
import { join } from "node:path"

/** What `DATA_DIR` is if it is not set. */
export const usualDataDir = { live: "./data", replay: "./.demo" } as const

/** The folder of the embedded database. */
export const embeddedIn = (dataDir: string): string => join(dataDir, "pglite")
