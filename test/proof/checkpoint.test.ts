/** Signed notes and checkpoints: a note of another implementation, our own, and each way to be none. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fromBase64, Malformed, toHex, utf8 } from "../../core/proof/bytes.ts"
import {
  checkpointText,
  noteText,
  parseAnyCheckpointText,
  parseCheckpointText,
  parseNote,
  parseVkey,
  signatureLine,
  verifierOf,
  verifyNote,
  vkey
} from "../../core/proof/checkpoint.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"

const secret = (seed: number) => new Uint8Array(32).fill(seed)
const logVerifier = verifierOf("log.example/plumbline", publicKeyOf(secret(1)))
const witness = verifierOf("witness.example", publicKeyOf(secret(2)))
const line = (verifier: typeof logVerifier, seed: number, text: string) =>
  signatureLine(verifier, signEd25519(utf8(text), secret(seed)))

const checkpoint = {
  origin: "log.example/plumbline",
  size: 31,
  root: new Uint8Array(32).fill(9)
}
const text = checkpointText(checkpoint)
const signed = noteText(text, [line(logVerifier, 1, text), line(witness, 2, text)])

describe("a signed note", () => {
  it("of the Go implementation's documentation verifies", () => {
    const peter = parseVkey("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW")
    const note = parseNote(
      "If you think cryptography is the answer to your problem,\n" +
        "then you don't know what your problem is.\n" +
        "\n" +
        "\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
    )
    assert.deepStrictEqual(verifyNote(note, [peter]), [peter])
    assert.strictEqual(toHex(peter.keyId), "c74f20a3")
  })

  it("is read back, and every line of a known key must hold", () => {
    const note = parseNote(utf8(signed))
    assert.strictEqual(note.text, text)
    assert.deepStrictEqual(parseCheckpointText(note.text), checkpoint)
    assert.deepStrictEqual(verifyNote(note, [logVerifier]), [logVerifier])
    assert.deepStrictEqual(verifyNote(note, [logVerifier, witness]), [logVerifier, witness])
    assert.deepStrictEqual(verifyNote(note, []), [])
    const half = parseNote(noteText(text, [line(logVerifier, 1, text), line(witness, 3, text)]))
    assert.deepStrictEqual(verifyNote(half, [logVerifier]), [logVerifier])
    assert.isUndefined(verifyNote(half, [logVerifier, witness]))
  })

  it("does not verify with any bit of its text or its signature changed", () => {
    const bytes = utf8(noteText(text, [line(logVerifier, 1, text)]))
    fc.assert(
      fc.property(fc.nat(bytes.length * 8 - 1), (bit) => {
        const changed = bytes.slice()
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        let verifiers: ReturnType<typeof verifyNote> = []
        try {
          verifiers = verifyNote(parseNote(changed), [logVerifier])
        } catch (error) {
          assert.instanceOf(error, Malformed)
        }
        assert.strictEqual(verifiers?.length ?? 0, 0)
      })
    )
  })

  it("is refused in every other form", () => {
    const bad = [
      "",
      "text\n",
      text,
      signed.slice(0, -1),
      `${signed}\n`,
      signed.replace("\n\n", "\n"),
      signed.replace("\u2014 ", "- "),
      signed.replace("\u2014 ", "\u2014"),
      signed.replace(/ (\S+)\n$/, " AAAA\n"),
      signed.replace(/\n$/, " x\n"),
      signed.replace("31\n", "31\r\n"),
      signed.replace("31\n", "31\u0000\n"),
      noteText(text, Array(101).fill(line(logVerifier, 1, text)))
    ]
    for (const note of bad) assert.throws(() => parseNote(note), Malformed, undefined, JSON.stringify(note))
  })
})

describe("a checkpoint's text", () => {
  it("is exactly origin, size and base64 root", () => {
    assert.strictEqual(text, "log.example/plumbline\n31\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n")
    assert.deepStrictEqual(parseCheckpointText(text), checkpoint)
  })

  it("of another log may have further lines, which only the reader for any log takes", () => {
    const extended = `${text}time 2026-09-05T08:00:04Z\nmore\n`
    assert.throws(() => parseCheckpointText(extended), /exactly three lines, not 5/)
    assert.deepStrictEqual(parseAnyCheckpointText(extended), {
      ...checkpoint,
      extensions: ["time 2026-09-05T08:00:04Z", "more"]
    })
    assert.deepStrictEqual(parseAnyCheckpointText(text).extensions, [])
  })

  it("is refused in every other form", () => {
    const root = "CQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk="
    for (const bad of [
      `o\n1\n${root}`,
      `o\n01\n${root}\n`,
      `o\n-1\n${root}\n`,
      `o\n1e3\n${root}\n`,
      `o\n99999999999999999999\n${root}\n`,
      `o\n1\n${root.slice(4)}\n`,
      `o\n1\n${root}\n\n`,
      `\n1\n${root}\n`
    ]) {
      assert.throws(() => parseCheckpointText(bad), Malformed, undefined, JSON.stringify(bad))
    }
    assert.throws(() => checkpointText({ ...checkpoint, origin: "a b" }), Malformed)
    assert.throws(() => checkpointText({ ...checkpoint, size: -1 }), Malformed)
    assert.throws(() => checkpointText({ ...checkpoint, root: new Uint8Array(31) }), Malformed)
  })

  it("names its key in the verifier string", () => {
    const written = vkey(logVerifier.name, logVerifier.publicKey)
    assert.deepStrictEqual(parseVkey(written), logVerifier)
    assert.throws(() => parseVkey(written.replace("plumbline", "plumbl1ne")), /does not match its name/)
    const other = vkey(logVerifier.name, witness.publicKey).split("+").slice(2).join("+")
    assert.throws(
      () => parseVkey(`${logVerifier.name}+${toHex(logVerifier.keyId)}+${other}`),
      /does not match its name/
    )
    assert.throws(() => parseVkey("x"), Malformed)
    assert.strictEqual(fromBase64(other)[0], 1)
  })
})
