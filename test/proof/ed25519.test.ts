import { createPublicKey, verify } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Point } from "@noble/ed25519"
import { sha512 } from "@noble/hashes/sha2.js"
import * as fc from "fast-check"
import { isSmallOrder, verifyEd25519 } from "../../core/proof/ed25519.ts"
import { publicKeyOf, signEd25519 } from "../support/ed25519.ts"

const order = 2n ** 252n + 27742317777372353535851937790883648493n

/** A point of order 8: its multiples are all points of small order. */
const torsion = Point.fromHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
const smallOrder = Array.from({ length: 8 }, (_, n) => torsion.multiply(BigInt(n), false))

const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`)
const bytesOf = (n: bigint) => new Uint8Array(Buffer.from(n.toString(16).padStart(64, "0"), "hex").reverse())
const scalar = (...parts: ReadonlyArray<Uint8Array>) => number(sha512(Buffer.concat(parts))) % order

/** OpenSSL's verdict, by Node. */
const byOpenSsl = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean => {
  const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), publicKey])
  const key = createPublicKey({ key: spki, format: "der", type: "spki" })
  return verify(null, message, key, signature)
}

/** A signature of `message` whose R and key each have a part of small order, as only the owner of the secret can make it. */
const mixed = (secret: Uint8Array, message: Uint8Array, ofR: number, ofKey: number) => {
  const a = scalar(secret, Buffer.from("a"))
  const r = scalar(secret, message)
  const at = (n: number) => smallOrder[n] ?? assert.fail(`${n}`)
  const key = Point.BASE.multiply(a, false).add(at(ofKey)).toBytes()
  const R = Point.BASE.multiply(r, false).add(at(ofR)).toBytes()
  const s = (r + scalar(R, key, message) * a) % order
  return { key, signature: new Uint8Array(Buffer.concat([R, bytesOf(s)])) }
}

const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 })
const messages = fc.uint8Array({ maxLength: 80 })
const part = fc.integer({ min: 0, max: 7 })

describe("Ed25519", () => {
  it("holds what OpenSSL signs, and nothing with one bit changed", () => {
    fc.assert(
      fc.property(secrets, messages, fc.nat(511), (secret, message, bit) => {
        const key = publicKeyOf(secret)
        const signature = signEd25519(message, secret)
        assert.isTrue(verifyEd25519(signature, message, key))
        const altered = Uint8Array.from(signature)
        altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        assert.isFalse(verifyEd25519(altered, message, key))
      }),
      { numRuns: 30 }
    )
  })

  it("says the same as OpenSSL of points of mixed order", () => {
    const verdicts = new Set<string>()
    fc.assert(
      fc.property(secrets, messages, part, part, (secret, message, ofR, ofKey) => {
        const { key, signature } = mixed(secret, message, ofR, ofKey)
        const holds = verifyEd25519(signature, message, key)
        assert.strictEqual(holds, byOpenSsl(signature, message, key))
        verdicts.add(`${ofR === 0} ${ofKey === 0} ${holds}`)
      }),
      // The first two are there whatever is drawn.
      { numRuns: 150, examples: [0, 1].map((ofR) => [new Uint8Array(32), new Uint8Array(1), ofR, 0]) }
    )
    // The cofactored equation would hold all of them.
    assert.isTrue(verdicts.has("true true true") && verdicts.has("false true false"), [...verdicts].join())
  })

  it("refuses each key of small order, and an S that is too large", () => {
    for (const point of smallOrder) {
      assert.isTrue(isSmallOrder(point.toBytes()))
      const signature = new Uint8Array(Buffer.concat([point.toBytes(), bytesOf(0n)]))
      for (let message = 0; message < 32; message++)
        assert.isFalse(verifyEd25519(signature, Uint8Array.of(message), point.toBytes()))
    }
    const secret = new Uint8Array(32).fill(9)
    const message = Uint8Array.of(1)
    const signature = signEd25519(message, secret)
    const s = bytesOf(number(signature.subarray(32)) + order)
    const again = new Uint8Array(Buffer.concat([signature.subarray(0, 32), s]))
    assert.isFalse(verifyEd25519(again, message, publicKeyOf(secret)))
    assert.isFalse(isSmallOrder(publicKeyOf(secret)))
  })
})
