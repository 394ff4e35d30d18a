/** BLS signatures of Ethereum's consensus: keys are points of the small group, signatures of the large one (minimal-pubkey-size, proof of possession). */
import { bls12_381 } from "@noble/curves/bls12-381.js"
import { Malformed } from "../bytes.ts"
import { demand } from "../check.ts"

/** Signatures of Ethereum's consensus, by their name in the library. */
const { Signature, hash, verify } = bls12_381.longSignatures

const Key = bls12_381.G1.Point

/** A key, or a sum of keys. */
export type BlsKey = typeof Key.BASE

/** What signers of Ethereum's consensus hash a message with (RFC 9380). */
const tag = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"

const read = <A>(what: string, bytes: Uint8Array, fromBytes: (bytes: Uint8Array) => A): A => {
  try {
    return fromBytes(bytes)
  } catch {
    throw new Malformed(`${what} is not in the group`)
  }
}

const keyIn = (bytes: Uint8Array): BlsKey => {
  const key = read("a key", bytes, Key.fromBytes)
  demand(!key.is0(), "a key is at infinity")
  return key
}

/** The sum of these keys without those, 48 bytes each. Throws `Malformed` for what is no key. */
export const keyOf = (all: ReadonlyArray<Uint8Array>, without: ReadonlyArray<Uint8Array>): BlsKey =>
  without.map(keyIn).reduce(
    (sum, key) => sum.subtract(key),
    all.map(keyIn).reduce((sum, key) => sum.add(key), Key.ZERO)
  )

/** Throws `Malformed` unless the signature, 96 bytes, is one of the message by all whose keys were summed. */
export const demandSignature = (key: BlsKey, message: Uint8Array, bytes: Uint8Array): void => {
  const signature = read("the signature", bytes, Signature.fromBytes)
  demand(!key.is0(), "the key is at infinity")
  demand(
    !signature.is0() && verify(signature, hash(message, tag), key),
    "the signature does not fit",
    "signature"
  )
}
