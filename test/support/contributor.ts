/** A folder like a contributor's: plugins and fixtures of its own, beside this repository's core. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { Effect, type Scope } from "effect"
import type { Places } from "../../runtime/contributor/check/check.ts"

const top = new URL("../..", import.meta.url).pathname

/** New, empty places, gone with the test; a plugin there imports `../../core` as everywhere. */
export const contributor: Effect.Effect<Places, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-kit-"))
    for (const name of ["core", "node_modules", "package.json"])
      symlinkSync(join(top, name), join(folder, name))
    for (const name of ["plugins", "fixtures"]) mkdirSync(join(folder, name))
    return { plugins: pathToFileURL(join(folder, "plugins/")), fixtures: join(folder, "fixtures/") }
  }),
  ({ plugins }) => Effect.sync(() => rmSync(new URL("..", plugins), { recursive: true }))
)
