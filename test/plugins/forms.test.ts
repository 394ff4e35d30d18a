/** Plugins are written in one way: the same thing is said in the same words in all of them. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const root = new URL("../../plugins/", import.meta.url).pathname
const files = globSync("*/**/*.ts", { cwd: root }).sort()

describe("plugins", () => {
  it.each(files.map((file) => [file]))("%s imports #plugin, and declares metrics by their words", (file) => {
    const source = readFileSync(join(root, file), "utf8")
    assert.notInclude(source, "core/plugin/")
    assert.notMatch(source, /\bunit: "/)
    assert.notMatch(source, /owner: "plumbline"/)
  })
})

describe("plugins that are data alone", () => {
  const sources = globSync("*/index.ts", { cwd: root }).map(
    (file) => [file, readFileSync(join(root, file), "utf8")] as const
  )
  const declared = sources.filter(([, source]) => source.includes("export default declare({"))

  it.each(declared)("%s has no function", (_, source) => {
    assert.notMatch(source, /=>|\bfunction\b|\bEffect\b|\beval\b/)
  })

  it("are at least 25", () => {
    assert.isAtLeast(declared.length, 25)
  })
})
