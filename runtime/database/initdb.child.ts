/** Makes the folder of an embedded database: `<folder> <process that waits for it>`. Says on standard error why it cannot. */
import { rmSync } from "node:fs"
import { PGlite } from "@electric-sql/pglite"
import { startParams, wordsOf } from "./engine.ts"

const [folder = "", parent = ""] = process.argv.slice(2)

try {
  const made = await PGlite.create({ dataDir: folder, startParams })
  await made.close()
} catch (error) {
  process.stderr.write(wordsOf(error))
  process.exitCode = 1
}
// Killed meanwhile, it does not take the folder.
if (process.ppid !== Number(parent)) rmSync(folder, { recursive: true, force: true })
process.exit()
