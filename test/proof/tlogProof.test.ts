/** The proof for clients of other logs: read here line by line as C2SP describes it, with nothing of the bundle's own code. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { parseNote, verifyNote } from "../../core/proof/checkpoint.ts"
import { parseKeyDocument } from "../../core/proof/keys.ts"
import { keys } from "../support/publication.ts"
import { bundle, file, fixture, folder, kid, run, serveLoopback } from "./loopback.ts"

const sha256 = (...parts: ReadonlyArray<Uint8Array>): Buffer =>
  createHash("sha256").update(Buffer.concat(parts)).digest()

/** The root that the path leads to: RFC 9162, section 2.1.3.2. */
const rootOf = (leaf: Buffer, index: number, size: number, path: ReadonlyArray<Buffer>): Buffer => {
  let [fn, sn, r] = [index, size - 1, leaf]
  for (const p of path) {
    if (fn % 2 === 1 || fn === sn) {
      r = sha256(Buffer.of(1), p, r)
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
    } else r = sha256(Buffer.of(1), r, p)
    ;[fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)]
  }
  return r
}

serveLoopback()

describe("a tlog-proof", () => {
  it("proves the entry of a bundle to whoever has the log's key", async () => {
    const out = join(folder, "value.tlog-proof")
    const saved = file("for-tlog-proof.json", JSON.stringify(bundle))
    const { exit, text } = await run(["bundle", saved, ...fixture, `--key=${kid}`, "--tlog-proof", out])
    assert.strictEqual(exit, 0, text)
    const [head = "", ...rest] = readFileSync(out, "utf8").split("\n\n")
    const [version, index = "", ...path] = head.split("\n")
    assert.strictEqual(version, "c2sp.org/tlog-proof@v1")
    const checkpoint = rest.join("\n\n")
    const [, size = "", root] = checkpoint.split("\n")
    const leaf = sha256(Buffer.of(0), readFileSync(`${out}.entry`))
    const hashes = path.map((hash) => Buffer.from(hash, "base64"))
    assert.match(index, /^index \d+$/)
    assert.strictEqual(rootOf(leaf, Number(index.slice(6)), Number(size), hashes).toString("base64"), root)
    const verifiers = parseKeyDocument(keys).log.map(({ verifier }) => verifier)
    assert.isAtLeast(verifyNote(parseNote(checkpoint), verifiers)?.length ?? 0, 1)
  })
})
