/**
 * Ed25519 (RFC 8032), verified strictly: rejects small-order public keys and an S not below the group order, so a message
 * has one signature per key and no key verifies every message.
 *
 * Builds the curve from its parameters (RFC 8032, section 5.1), because the ready-made module of @noble/curves needs
 * `TextEncoder` to load.
 */
import { eddsa, edwards } from "@noble/curves/abstract/edwards.js"
import { sha512 } from "@noble/hashes/sha2.js"

const point = edwards({
  p: 2n ** 255n - 19n,
  n: 2n ** 252n + 27742317777372353535851937790883648493n,
  h: 8n,
  a: 2n ** 255n - 20n,
  d: 37095705934669439343138083508754565189542113879843219016388785533085940283555n,
  Gx: 15112221349535400772501151409588531511454012693041857206046113283949847762202n,
  Gy: 46316835694926478169428394003475163141307993866256225615783033603165251855960n
})

const ed25519 = eddsa(point, sha512, {
  zip215: false,
  adjustScalarBytes: (bytes: Uint8Array) => {
    bytes[0] = (bytes[0] ?? 0) & 248
    bytes[31] = ((bytes[31] ?? 0) & 127) | 64
    return bytes
  }
})

/** True if `signature` (64 bytes) is a valid signature of `message` by `publicKey` (32 bytes). */
export const verifyEd25519 = (signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean => {
  if (signature.length !== 64 || publicKey.length !== 32) return false
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false })
  } catch {
    return false
  }
}

/** Signs with a 32-byte secret. For tools and tests; the server signs natively. */
export const signEd25519 = (message: Uint8Array, secret: Uint8Array): Uint8Array =>
  ed25519.sign(message, secret)

export const publicKeyOf = (secret: Uint8Array): Uint8Array => ed25519.getPublicKey(secret)
