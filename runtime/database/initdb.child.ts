/**
 * Makes the folder of an embedded database: `<folder> <process that waits for it> <empty one to copy>`. Says on standard
 * error why it cannot.
 */
import { cpSync, existsSync, rmSync } from "node:fs"
import { join } from "node:path"

const [folder = "", parent = "", empty = ""] = process.argv.slice(2)

/** False where there is nothing whole to copy, or no room for it. */
const copied = (): boolean => {
  try {
    if (!existsSync(join(empty, "PG_VERSION"))) return false
    cpSync(empty, folder, { recursive: true })
    return true
  } catch {
    // Node takes a full disk for a broken one: the engine says better why there can be no folder.
    rmSync(folder, { recursive: true, force: true })
    return false
  }
}

if (!copied()) {
  // Imported only here: to load it takes longer than to copy.
  const { initdb, messageOf: wordsOf } = await import("./engine.ts")
  try {
    await initdb(folder)
  } catch (error) {
    process.stderr.write(wordsOf(error))
    process.exitCode = 1
  }
}
// Killed meanwhile, it does not take the folder.
if (process.ppid !== Number(parent)) rmSync(folder, { recursive: true, force: true })
process.exit()
