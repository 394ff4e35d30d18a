/**
 * Ed25519 (RFC 8032), verified by its cofactorless equation: R is computed again as S·B − k·A and compared by its bytes, as
 * OpenSSL, Node and Go do. A point R of mixed order is therefore refused. So are keys of small order, for which one signature
 * fits every message, an R of small order, which Node refuses and no signer ever meets, and an S not below the order of the group,
 * so that a message has one signature for each key.
 */
import { Point } from "@noble/ed25519"
import { sha512 } from "@noble/hashes/sha2.js"
import { toHex } from "./bytes.ts"

/** The order of the base point B (RFC 8032, section 5.1). */
const order = 2n ** 252n + 27742317777372353535851937790883648493n

/** The encodings of the eight points whose order divides the cofactor, the identity and the point of order 2 first. */
const smallOrder: ReadonlySet<string> = new Set([
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"
])

/** True for a point of small order: whoever has the signature of one message by such a key has it of all. */
export const isSmallOrder = (point: Uint8Array): boolean => smallOrder.has(toHex(point))

const littleEndian = (bytes: Uint8Array): bigint => BigInt(`0x${toHex(bytes.toReversed())}`)

const challenge = (r: Uint8Array, publicKey: Uint8Array, message: Uint8Array): bigint =>
  littleEndian(sha512.create().update(r).update(publicKey).update(message).digest()) % order

/** True if `signature` (64 bytes) is a valid signature of `message` by `publicKey` (32 bytes). */
export const verifyEd25519 = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean => {
  if (signature.length !== 64 || publicKey.length !== 32 || isSmallOrder(publicKey)) return false
  const r = signature.subarray(0, 32)
  if (isSmallOrder(r)) return false
  const s = littleEndian(signature.subarray(32))
  if (s >= order) return false
  try {
    // Refuses what is no point, and a second spelling of one.
    const key = Point.fromBytes(publicKey)
    const again = Point.BASE.multiply(s, false).subtract(
      key.multiply(challenge(r, publicKey, message), false)
    )
    return toHex(again.toBytes()) === toHex(r)
  } catch {
    return false
  }
}
