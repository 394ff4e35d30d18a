/** The command refuses a runtime that it cannot work with, in one line. */
import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"

const command = new URL("../../runtime/plumbline.js", import.meta.url).pathname

const top = new URL("../..", import.meta.url).pathname

const startedWith = (code: string, ...words: ReadonlyArray<string>) =>
  spawnSync(
    process.execPath,
    [
      "--import",
      `data:text/javascript,${encodeURIComponent(code)}`,
      ...(words.length === 0 ? [command] : words)
    ],
    { cwd: top, encoding: "utf8", timeout: 60_000 }
  )

const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })"

describe("the command", () => {
  it("needs a JSON.parse that gives a reviver the text of a number", () => {
    const { status, stderr } = startedWith(
      "const parse = JSON.parse; JSON.parse = (text, revive) => parse(text, revive && ((key, value) => revive(key, value)))"
    )
    assert.strictEqual(status, 1)
    assert.match(stderr, /^plumbline: .*JSON\.parse does not tell a number's own digits.*use Node 24\n$/)
  })

  it("needs a Node of the version that it was made for", () => {
    const { status, stderr } = startedWith(older)
    assert.strictEqual(status, 1)
    assert.match(stderr, /^plumbline: this needs Node 24 or newer, and runs on .*\n$/)
  })
})

describe("the tests", () => {
  it("say in one line which Node they need, on an older one", () => {
    const vitest = ["node_modules/vitest/vitest.mjs", "list", "--config", "test/short.config.ts"]
    const { status, stderr, stdout } = startedWith(older, ...vitest)
    assert.strictEqual(status, 1, stdout)
    assert.match(
      stderr,
      /^the tests need Node 24 or newer, and this is v[\d.]+: npx vitest takes the one that npm ci installed\n$/
    )
  })
})
