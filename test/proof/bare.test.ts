/** The verifier runs where there is the language and the text codecs: a test for the browser without one. */
import { execFileSync } from "node:child_process"
import { globSync } from "node:fs"
import { assert, describe, it } from "vitest"

const top = new URL("../..", import.meta.url).pathname

const bare = (module: string, expression: string): string =>
  execFileSync(
    process.execPath,
    ["--no-warnings", "--experimental-vm-modules", "test/support/bareModules.ts", module, expression],
    { cwd: top, encoding: "utf8" }
  )

describe("in a bare context", () => {
  it("every module of the proof room loads, but for the command and what it needs of Node", () => {
    const modules = globSync("core/proof/**/*.ts", { cwd: top }).filter(
      (path) => !/\/(cli\.ts$|node\/)/.test(path)
    )
    assert.isAtLeast(modules.length, 9)
    for (const path of modules) assert.notStrictEqual(bare(path, "Object.keys(it).length"), "0", path)
    // A process for each module.
  }, 120_000)

  it("there is no platform to lean on", () => {
    assert.strictEqual(
      bare("core/proof/bytes.ts", "[typeof fetch, typeof Buffer, typeof process, typeof URL].join()"),
      "undefined,undefined,undefined,undefined"
    )
  })

  it("hashes and signatures are checked", () => {
    assert.strictEqual(
      bare(
        "core/proof/checkpoint.ts",
        `(() => {
        const peter = it.parseVkey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
        const note = it.parseNote("If you think cryptography is the answer to your problem,\\n" +
          "then you don't know what your problem is.\\n\\n" +
          "\\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\\n")
        return it.verifyNote(note, [peter]).length
      })()`
      ),
      "1"
    )
  })
})
