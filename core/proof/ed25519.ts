/**
 * Ed25519 (RFC 8032). Of the verifications that the RFC allows, the one that OpenSSL, Go and most libraries make: [S]B - [k]A is computed
 * without the cofactor, and compared with R byte for byte. Refused are an S not below the group order, a key that is not reduced, and a
 * key or an R of small order. So a message has one signature per key, no key verifies every message, and two verifiers never disagree.
 *
 * Builds the curve from its parameters (RFC 8032, section 5.1), because the ready-made module of @noble/curves needs
 * `TextEncoder` to load, and its verification is the one with the cofactor.
 */
import { eddsa, edwards } from "@noble/curves/abstract/edwards.js"
import { sha512 } from "@noble/hashes/sha2.js"
import { concat, equalBytes, toHex } from "./bytes.ts"

const order = 2n ** 252n + 27742317777372353535851937790883648493n

const point = edwards({
  p: 2n ** 255n - 19n,
  n: order,
  h: 8n,
  a: 2n ** 255n - 20n,
  d: 37095705934669439343138083508754565189542113879843219016388785533085940283555n,
  Gx: 15112221349535400772501151409588531511454012693041857206046113283949847762202n,
  Gy: 46316835694926478169428394003475163141307993866256225615783033603165251855960n
})

/** The y of all points of small order, in 32 bytes, the lowest first, without the sign of x: 0, 1, p - 1, two of order 8, p, p + 1. */
const smallOrder: ReadonlySet<string> = new Set([
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  `ec${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(30)}7f`
])

const isOfSmallOrder = (encoded: Uint8Array): boolean => {
  const y = Uint8Array.from(encoded)
  y[31] = (y[31] ?? 0) & 127
  return smallOrder.has(toHex(y))
}

/** The number that bytes are, the lowest first. */
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(Uint8Array.from(bytes).reverse())}`)

/** True if `signature` (64 bytes) is a valid signature of `message` by `publicKey` (32 bytes). */
export const verifyEd25519 = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean => {
  if (signature.length !== 64 || publicKey.length !== 32) return false
  const [r, s] = [signature.subarray(0, 32), numberOf(signature.subarray(32))]
  if (s >= order || isOfSmallOrder(r) || isOfSmallOrder(publicKey)) return false
  const k = numberOf(sha512(concat(r, publicKey, message))) % order
  try {
    const key = point.fromBytes(publicKey)
    return equalBytes(point.BASE.multiplyUnsafe(s).subtract(key.multiplyUnsafe(k)).toBytes(), r)
  } catch {
    // The key is no point of the curve.
    return false
  }
}

/** For tools and tests, and built when one of them asks: who only verifies carries none of it. */
const signing = () =>
  eddsa(point, sha512, {
    adjustScalarBytes: (bytes: Uint8Array) => {
      bytes[0] = (bytes[0] ?? 0) & 248
      bytes[31] = ((bytes[31] ?? 0) & 127) | 64
      return bytes
    }
  })

/** Signs with a 32-byte secret. The server signs natively. */
export const signEd25519 = (message: Uint8Array, secret: Uint8Array): Uint8Array =>
  signing().sign(message, secret)

export const publicKeyOf = (secret: Uint8Array): Uint8Array => signing().getPublicKey(secret)
