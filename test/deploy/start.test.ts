/** The command refuses a runtime that it cannot work with, in one line. */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"

const command = new URL("../../runtime/plumbline.js", import.meta.url).pathname

const startedWith = (code: string) =>
  spawnSync(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(code)}`, command], {
    encoding: "utf8",
    timeout: 60_000
  })

describe("the command", () => {
  it("needs a JSON.parse that gives a reviver the text of a number", () => {
    const { status, stderr } = startedWith(
      "const parse = JSON.parse; JSON.parse = (text, revive) => parse(text, revive && ((key, value) => revive(key, value)))"
    )
    assert.strictEqual(status, 1)
    assert.match(stderr, /^plumbline: .*JSON\.parse does not tell a number's own digits.*use Node 24\n$/)
  })

  it("needs a Node of the version that it was made for", () => {
    const { status, stderr } = startedWith(
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })"
    )
    assert.strictEqual(status, 1)
    assert.match(stderr, /^plumbline: this needs Node 24 or newer, and runs on .*\n$/)
  })
})
