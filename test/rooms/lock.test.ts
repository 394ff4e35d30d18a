/** Holds the lock files installable on a clean machine. */
import { readFileSync } from "node:fs"
import { relative } from "node:path"
import { assert, describe, it } from "vitest"
import { locks, missing } from "../support/lock.ts"

const top = new URL("../../", import.meta.url).pathname

describe.each(locks.map((file) => [relative(top, file.pathname), file] as const))("%s", (_, file) => {
  const text = readFileSync(file, "utf8")

  it("names the builds for other platforms, without which npm ci refuses it (node test/support/lock.ts)", () => {
    assert.deepStrictEqual([...missing(JSON.parse(text).packages).keys()], [])
  })

  it("names no registry", () => {
    // Packages of this repository are resolved to their folders.
    assert.notMatch(text, /"resolved": "(?!(core|http\/client|runtime)\/\w+")|https?:\/\/registry/)
  })
})

it("builds of other platforms are missed where a package names them by their exact version", () => {
  const packages = { "node_modules/a": { optionalDependencies: { "a-linux": "1.0.0", "a-any": "^1.0.0" } } }
  assert.deepStrictEqual([...missing(packages).keys()], ["a-linux"])
})
