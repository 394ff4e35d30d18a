/**
 * Makes the folder of an embedded database in a process of its own. `initdb` runs in a second engine, and executes enough
 * of both that V8 optimizes their largest functions: `raw_parser` alone takes 600 MiB of compiler memory. Neither belongs
 * into a process that stays, and what runs once needs no optimization.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

const child = fileURLToPath(new URL("initdb.child.ts", import.meta.url))

/** Does nothing where the folder is made. It appears whole or not at all. The error says why it cannot be made. */
export const initdb = (dataDir: string): Effect.Effect<void, string> =>
  Effect.callback((resume) => {
    if (existsSync(join(dataDir, "PG_VERSION"))) return resume(Effect.void)
    const making = execFile(
      process.execPath,
      ["--liftoff-only", child, `${dataDir}.new`, dataDir],
      { env: {} },
      (error, _, said) =>
        resume(error === null ? Effect.void : Effect.fail(said.trim().split("\n").at(-1) || error.message))
    )
    return Effect.sync(() => making.kill("SIGKILL"))
  })
