/** Makes the folder of an embedded database: `<temporary folder> <folder>`. Says on standard error why it cannot. */
import { renameSync, rmSync } from "node:fs"
import { PGlite } from "@electric-sql/pglite"
import { startParams, wordsOf } from "./engine.ts"

const [temporary = "", dataDir = ""] = process.argv.slice(2)

try {
  rmSync(temporary, { recursive: true, force: true })
  const made = await PGlite.create({ dataDir: temporary, startParams })
  await made.close()
  renameSync(temporary, dataDir)
  process.exit(0)
} catch (error) {
  process.stderr.write(wordsOf(error))
  process.exit(1)
}
