/** Cosignatures of witnesses, and the policies that say whose are needed. */
import { createHash, createPrivateKey, sign } from "node:crypto"
import { assert, describe, it } from "vitest"
import { concat, fromHex, Malformed, toBase64, toHex, utf8 } from "../../core/proof/bytes.ts"
import {
  checkpointText,
  noteKeyOf,
  noteKeyText,
  noteText,
  parseNote,
  verifierOf,
  vkey
} from "../../core/proof/checkpoint.ts"
import {
  cosignatureLine,
  cosignatureMessage,
  cosignaturesOf,
  cosignerOf,
  mlDsaType,
  parseCosigner,
  parseLines,
  withLines
} from "../../core/proof/cosignature.ts"
import { isMet, noQuorum, parsePolicy, quorumOf } from "../../core/proof/policy.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"

const secret = (seed: number) => new Uint8Array(32).fill(seed)
const witness = cosignerOf("witness.example/w1", publicKeyOf(secret(1)))
const other = cosignerOf("witness.example/w2", publicKeyOf(secret(2)))
const quantum = noteKeyOf("witness.example/pq", mlDsaType, new Uint8Array(1312).fill(7))
const text = checkpointText({ origin: "log.example", size: 5, root: new Uint8Array(32).fill(9) })
const line = (cosigner: typeof witness, seed: number, time: number, about = text) =>
  cosignatureLine(cosigner, time, signEd25519(cosignatureMessage(about, time), secret(seed)))
const lines = (...texts: ReadonlyArray<string>) => parseLines(texts.map((one) => one.slice(0, -1)))

describe("a cosignature", () => {
  it("is the line that C2SP tlog-cosignature describes, byte for byte", () => {
    // Built here from the document's words alone, with Node's signature.
    const name = "witness.example/w1"
    const id = createHash("sha256")
      .update(`${name}\n\x04`)
      .update(publicKeyOf(secret(1)))
      .digest()
      .subarray(0, 4)
    const pkcs8 = concat(fromHex("302e020100300506032b657004220420"), secret(1))
    const key = createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" })
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime 1679315147\n${text}`), key)
    const time = fromHex("00000000641850cb")
    assert.strictEqual(
      line(witness, 1, 1_679_315_147),
      `\u2014 ${name} ${toBase64(concat(id, time, signature))}\n`
    )
  })

  it("gives its time, the earliest first, and is passed over if its key is unknown or ML-DSA", () => {
    const pq = cosignatureLine(quantum, 5, new Uint8Array(2420))
    const cosignatures = cosignaturesOf(
      text,
      lines(
        line(other, 2, 200),
        pq,
        line(witness, 1, 100),
        line(cosignerOf("x", publicKeyOf(secret(3))), 3, 1)
      ),
      [witness, other, quantum]
    )
    assert.deepStrictEqual(
      cosignatures.map(({ cosigner, timestamp }) => [cosigner.name, timestamp]),
      [
        [witness.name, 100],
        [other.name, 200]
      ]
    )
    const note = withLines(noteText(text, [line(other, 2, 1)]), [line(witness, 1, 2).slice(0, -1)])
    assert.strictEqual(parseNote(note).signatures.length, 2)
  })

  it("of a known key makes the note worthless if it does not verify", () => {
    const bytes = lines(line(witness, 1, 100))[0]?.signature ?? new Uint8Array()
    const shifted = bytes.slice()
    shifted[7] = 101
    const base = { name: witness.name, keyId: witness.keyId }
    for (const bad of [
      lines(line(witness, 2, 100)),
      lines(line(witness, 1, 100, text.replace("5", "6"))),
      [{ ...base, signature: shifted }],
      [{ ...base, signature: bytes.slice(1) }],
      [{ ...base, signature: concat(new Uint8Array(8).fill(255), bytes.slice(8)) }],
      [{ ...base, signature: signEd25519(utf8(text), secret(1)) }]
    ]) {
      assert.throws(() => cosignaturesOf(text, bad, [witness]), Malformed)
    }
  })

  it("has a verifier key of its own type, which is not that of a log", () => {
    assert.deepStrictEqual(parseCosigner(noteKeyText(witness)), witness)
    assert.deepStrictEqual(parseCosigner(noteKeyText(quantum)), quantum)
    assert.include(noteKeyText(quantum), "=")
    const log = verifierOf(witness.name, witness.publicKey)
    assert.notStrictEqual(toHex(log.keyId), toHex(witness.keyId))
    assert.throws(() => parseCosigner(vkey(log.name, log.publicKey)), /0x04/)
    assert.throws(() => parseCosigner(noteKeyText(witness).replace("w1", "w3")), /does not match/)
    assert.throws(() => cosignatureMessage(text, 1.5), /whole seconds/)
  })
})

describe("a witness policy", () => {
  const key = (seed: number) => noteKeyText(cosignerOf(`w${seed}.example`, publicKeyOf(secret(seed))))
  const log = vkey("log.example", publicKeyOf(secret(99)))
  const example = `# The example of the document.
log ${log} https://log.example/

witness X1 ${key(1)}
\twitness X2 ${key(2)}  https://witness.example
witness X3 ${key(3)}
group X-witnesses 2 X1 X2 X3
witness Y1 ${noteKeyText(quantum)}
witness Y2 ${key(5)}
group Y-witnesses any Y1 Y2
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`
  const read = (file: string) => parsePolicy(utf8(file))

  it("is met by any witnesses that its quorum counts", () => {
    const policy = read(example)
    assert.deepStrictEqual(
      policy.logs.map(({ key, url }) => [key.name, url]),
      [["log.example", "https://log.example/"]]
    )
    assert.strictEqual(policy.witnesses[1]?.url, "https://witness.example")
    const met = (...names: ReadonlyArray<string>) =>
      isMet(policy.quorum, (witness) =>
        policy.witnesses.some(({ key, name }) => key === witness && names.includes(name))
      )
    assert.isTrue(met("X1", "X3", "Y2"))
    assert.isTrue(met("X1", "X2", "X3", "Y1"))
    assert.isFalse(met("X1", "Y1", "Y2"))
    assert.isFalse(met("X1", "X2", "X3"))
    const none = read("quorum none\n")
    assert.isTrue(isMet(none.quorum, () => false))
    assert.strictEqual(none.quorum, noQuorum)
    const one = read(`witness A ${key(1)}\nquorum A\n`)
    assert.isFalse(isMet(one.quorum, () => false))
    assert.isTrue(isMet(quorumOf([witness, other], 1), ({ name }) => name === other.name))
    assert.isFalse(isMet(quorumOf([witness, other], 2), ({ name }) => name === other.name))
  })

  it("may have names and comments of any octets", () => {
    const file = concat(
      utf8("# "),
      Uint8Array.of(0xff, 0x0a),
      utf8("witness "),
      Uint8Array.of(0xff),
      utf8(
        ` ${key(1)}\nwitness \u212a ${noteKeyText(cosignerOf("wit\u00e9.example", publicKeyOf(secret(4))))}\nquorum `
      ),
      Uint8Array.of(0xff, 0x0a)
    )
    assert.strictEqual(parsePolicy(file).witnesses.length, 2)
    assert.strictEqual(parsePolicy(file).witnesses[1]?.key.name, "wit\u00e9.example")
  })

  it("is refused in every other form, with the number of the line", () => {
    const two = `witness A ${key(1)}\nwitness B ${key(2)}\n`
    const own = noteKeyText(cosignerOf("another.example", publicKeyOf(secret(99))))
    const namesake = noteKeyText(cosignerOf("Log.example", publicKeyOf(secret(98))))
    const renamed = noteKeyText(cosignerOf("another.example", publicKeyOf(secret(1))))
    for (const [bad, why] of [
      ["", /must have a line `quorum/],
      ["quorum none", /end in a newline/],
      ["quorum none\r\n", /control characters/],
      ["quorum none\nquorum none\n", /line 2: .*only one/],
      ["quorum A\n", /not defined/],
      ["quorum\n", /must be `quorum/],
      [`${two}quorum A B\n`, /must be `quorum/],
      [`quorum A\n${two}`, /not defined/],
      [`${two}witness A ${key(3)}\nquorum A\n`, /line 3: the name "A" is taken/],
      [`witness none ${key(1)}\nquorum none\n`, /taken/],
      [`${two}witness C ${renamed}\nquorum A\n`, /line before/],
      [`${two}group G 3 A B\nquorum G\n`, /from 1 to 2/],
      [`${two}group G 0 A B\nquorum G\n`, /from 1 to 2/],
      [`${two}group G 01 A B\nquorum G\n`, /from 1 to 2/],
      [`${two}group G some A B\nquorum G\n`, /from 1 to 2/],
      [`${two}group G any\nquorum G\n`, /must be `group/],
      [`${two}group G any A A\nquorum G\n`, /only once/],
      [`${two}group G any A\ngroup H any A B\nquorum H\n`, /only once/],
      [`${two}group G any G\nquorum G\n`, /not defined/],
      [`${two}group G any none\nquorum G\n`, /not defined/],
      [`log ${log}\nlog ${log}\nquorum none\n`, /line before/],
      [`log ${log}\nwitness A ${own}\nquorum A\n`, /line 2: the log log.example cannot be its own witness/],
      [`witness A ${own}\nlog ${log}\nquorum A\n`, /line 2: the log log.example cannot be its own witness/],
      [`log ${log}\nwitness A ${namesake}\nquorum A\n`, /cannot be its own witness/],
      [`log ${key(1)}\nquorum none\n`, /0x01/],
      [`witness A ${log}\nquorum A\n`, /0x04/],
      [`witness ${key(1)}\nquorum none\n`, /must be `witness/],
      ["mirror x\nquorum none\n", /unknown keyword "mirror"/]
    ] as const) {
      assert.throws(() => read(bad), why, undefined, bad)
    }
  })
})
