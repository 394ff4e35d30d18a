/** Holds the lock file installable on a clean machine. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { missing } from "../support/lock.ts"

const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")

describe("the lock file", () => {
  it("names the builds for other platforms, without which npm ci refuses it (node test/support/lock.ts)", () => {
    assert.deepStrictEqual([...missing(JSON.parse(text).packages).keys()], [])
    const packages = { "node_modules/a": { optionalDependencies: { "a-linux": "1.0.0", "a-any": "^1.0.0" } } }
    assert.deepStrictEqual([...missing(packages).keys()], ["a-linux"])
  })

  it("names no registry", () => {
    // Packages of this repository are resolved to their folders.
    assert.notMatch(text, /"resolved": "(?!http\/client\/\w+")|https?:\/\/registry/)
  })
})
