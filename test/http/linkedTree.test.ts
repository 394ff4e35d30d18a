/** The explorer's files in a tree of links, such as a deployment may be. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { assert, it } from "@effect/vitest"
import { assetsBuilt } from "../../http/explorer/assets/build.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))

it("the explorer's files are found by the same names as in the tree that the links lead to", async () => {
  const tree = mkdtempSync(join(tmpdir(), "plumbline-linked-"))
  try {
    for (const room of ["core", "http", "package.json"]) symlinkSync(join(top, room), join(tree, room))
    // Its own, so that it finds nothing that was built before.
    mkdirSync(join(tree, "node_modules"))
    for (const name of readdirSync(join(top, "node_modules"))) {
      if (!name.startsWith("."))
        symlinkSync(join(top, "node_modules", name), join(tree, "node_modules", name))
    }
    const build = pathToFileURL(join(tree, "http/explorer/assets/build.ts")).href
    const script = `const { assetsBuilt } = await import("${build}")
      console.log(JSON.stringify((await assetsBuilt()).names))`
    const args = ["--no-warnings", "--preserve-symlinks", "--input-type=module", "--eval", script]
    const names: unknown = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }))
    assert.deepStrictEqual(names, (await assetsBuilt()).names)
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
})
