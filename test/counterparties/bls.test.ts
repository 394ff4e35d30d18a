/** Our own BLS12-381 against `@noble/curves`: keys, hashes of messages, sums and signatures. */
import { assert, describe, it } from "vitest"
import { Malformed, toHex, utf8 } from "../../core/proof/bytes.ts"
import { hashToPoint } from "../../core/proof/finality/bls/hashToPoint.ts"
import { g1, g2, generator, keyIn, signatureIn } from "../../core/proof/finality/bls/points.ts"
import { blsTag, demandSignature, keyOf } from "../../core/proof/finality/bls/verify.ts"
import { keyBytes, signatureBytes } from "../support/chain/beacon.ts"
import { missing } from "../support/programs.ts"
import { installed } from "./installed.ts"

const { bls12_381: bls } = await installed(() => import("@noble/curves/bls12-381"))

describe.skipIf(missing("counterparties"))("BLS12-381", () => {
  const secrets = Array.from(
    { length: 12 },
    (_, at) => BigInt(`0x${"9e3779b97f4a7c15".repeat(3)}`) * BigInt(at + 1)
  )
  const messages = ["", "a", "ab".repeat(16), "long ".repeat(100)].map(utf8)

  it("has the same keys, and reads them", () => {
    for (const secret of secrets) {
      const expected = bls.longSignatures.getPublicKey(secret.toString(16).padStart(64, "0")).toBytes()
      assert.strictEqual(toHex(keyBytes(g1.times(generator, secret))), toHex(expected))
      assert.strictEqual(toHex(keyBytes(keyIn(expected))), toHex(expected))
    }
  })

  it("hashes messages to the same points", () => {
    for (const message of messages)
      assert.strictEqual(
        toHex(signatureBytes(hashToPoint(message, blsTag))),
        toHex(bls.longSignatures.hash(message, blsTag).toBytes(true))
      )
  })

  it("takes their signatures of one and of several, and none other", () => {
    const signatures = bls.longSignatures
    for (const [at, message] of messages.entries()) {
      const hashed = signatures.hash(message, blsTag)
      const some = secrets.slice(at, at + 3)
      const keys = some.map((secret) =>
        signatures.getPublicKey(secret.toString(16).padStart(64, "0")).toBytes()
      )
      const each = some.map((secret) => signatures.sign(hashed, secret.toString(16).padStart(64, "0")))
      const sum = signatures.aggregateSignatures(each).toBytes(true)
      assert.strictEqual(toHex(signatureBytes(signatureIn(sum))), toHex(sum))
      demandSignature(keyOf(keys, []), message, sum)
      demandSignature(keyOf([keyOf(keys, [])].map(keyBytes), []), message, sum)
      demandSignature(keyOf(keys, keys.slice(1)), message, each[0]?.toBytes(true) ?? sum)
      assert.throws(() => demandSignature(keyOf(keys.slice(1), []), message, sum), Malformed)
      assert.throws(() => demandSignature(keyOf(keys, []), utf8("another"), sum), Malformed)
      assert.throws(() => demandSignature(keyOf(keys, keys), message, sum), Malformed)
    }
  })

  it("refuses points that are of the curve and not of the group, as they do", () => {
    let refused = 0
    for (let x = 1; x < 40; x++) {
      const bytes = new Uint8Array(48)
      bytes[0] = 0x80
      bytes[47] = x
      const actual = (() => {
        try {
          return g1.isInGroup(keyIn(bytes))
        } catch {
          return undefined
        }
      })()
      const expected = (() => {
        try {
          const point = bls.G1.Point.fromAffine(bls.G1.Point.fromHex(bytes).toAffine())
          return point.isTorsionFree()
        } catch {
          return undefined
        }
      })()
      if (actual === false) refused++
      assert.strictEqual(actual === true, expected === true, String(x))
    }
    assert.isAbove(refused, 5)
    assert.isTrue(g2.isInGroup(hashToPoint(utf8("x"), blsTag)))
  })
})
