/** A data directory as a service left it: a process of a test then need not make and migrate an embedded database. */
import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { inject } from "vitest"

export const prepare = (dataDir: string): void => {
  const place = join(dataDir, "pglite")
  mkdirSync(place, { recursive: true, mode: 0o700 })
  execFileSync("tar", ["-xf", inject("pgliteDump"), "-C", place])
}
