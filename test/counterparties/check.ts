/** The type check of this folder, which `npm run check` runs where its packages are installed. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { counterparties, missing } from "../support/programs.ts"

if (!missing("counterparties")) {
  const { status } = spawnSync("tsc", ["-p", fileURLToPath(counterparties)], { stdio: "inherit" })
  process.exitCode = status ?? 1
}
