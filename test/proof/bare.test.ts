/** The verifier runs where there is the language and the text codecs: a test for the browser without one. */
import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"

const top = new URL("../..", import.meta.url).pathname

/** What the expression gives over each of the modules. */
const bare = (expression: string, ...modules: ReadonlyArray<string>): ReadonlyArray<string> =>
  execFileSync(
    process.execPath,
    ["--no-warnings", "--experimental-vm-modules", "test/support/bareModules.ts", expression, ...modules],
    { cwd: top, encoding: "utf8" }
  )
    .trimEnd()
    .split("\n")

describe("in a bare context", () => {
  it("every module of the proof room loads", () => {
    const modules = globSync("core/proof/**/*.ts", { cwd: top })
    assert.isAtLeast(modules.length, 9)
    const exported = bare("Object.keys(it).length", ...modules)
    assert.strictEqual(exported.length, modules.length)
    for (const [n, path] of modules.entries()) assert.notStrictEqual(exported[n], "0", path)
  })

  it("there is no platform to lean on", () => {
    assert.deepStrictEqual(
      bare("[typeof fetch, typeof Buffer, typeof process, typeof URL].join()", "core/proof/bytes.ts"),
      ["undefined,undefined,undefined,undefined"]
    )
  })

  it("hashes and signatures are checked", () => {
    assert.deepStrictEqual(
      bare(
        `(() => {
        const peter = it.parseVkey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
        const note = it.parseNote("If you think cryptography is the answer to your problem,\\n" +
          "then you don't know what your problem is.\\n\\n" +
          "\\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\\n")
        return it.verifyNote(note, [peter]).length
      })()`,
        "core/proof/checkpoint.ts"
      ),
      ["1"]
    )
  })

  it("signatures with points of small and mixed order are judged as everywhere", () => {
    const vectors = readFileSync(`${top}fixtures/vectors/ed25519.json`, "utf8")
    assert.deepStrictEqual(
      bare(
        `(() => {
        const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16))
        return JSON.stringify(${vectors}.filter(({ message, public_key, signature, valid }) =>
          it.verifyEd25519(bytes(signature), bytes(message), bytes(public_key)) !== valid))
      })()`,
        "core/proof/ed25519.ts"
      ),
      ["[]"]
    )
  })
})
