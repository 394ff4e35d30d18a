/**
 * The folder of an empty database, which `npm ci` makes ahead: `initdb` takes two seconds of both cores, a copy a tenth of
 * one. Its name holds the hash of what makes it, so another engine, or one started otherwise, never finds it. This module
 * imports only Node.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Where it is, if it was made. */
export const emptyFolder = (): string => {
  const hash = createHash("sha256")
  for (const file of [
    new URL("../package.json", import.meta.resolve("@electric-sql/pglite")),
    new URL("engine.ts", import.meta.url)
  ]) {
    hash.update(readFileSync(file))
  }
  const cache = fileURLToPath(new URL("../../node_modules/.cache/plumbline", import.meta.url))
  return join(cache, `postgres-${hash.digest("hex").slice(0, 16)}`)
}
