/** BLS signatures of Ethereum's consensus: keys are points of the small group, signatures of the large one (minimal-pubkey-size, proof of possession). */
import { demand } from "../../check.ts"
import { hashToPoint } from "./hashToPoint.ts"
import { isProductOne } from "./pairing.ts"
import { g1, g2, generator, keyIn, opposite, type Point, signatureIn } from "./points.ts"

export const blsTag = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"

/** The sum of these keys without those, 48 bytes each. Throws `Malformed` for what is no key. */
export const keyOf = (all: ReadonlyArray<Uint8Array>, without: ReadonlyArray<Uint8Array>): Point<bigint> =>
  [...all.map(keyIn), ...without.map((one) => opposite(keyIn(one)))].reduce(g1.add, g1.infinity)

/** Throws `Malformed` unless the signature, 96 bytes, is one of the message by all whose keys were summed. */
export const demandSignature = (key: Point<bigint>, message: Uint8Array, bytes: Uint8Array): void => {
  const signature = signatureIn(bytes)
  demand(key.z !== 0n && g1.isInGroup(key), "the key is none of the group")
  demand(g2.isInGroup(signature), "the signature is none of the group", "signature")
  demand(
    isProductOne([
      [key, hashToPoint(message, blsTag)],
      [opposite(generator), signature]
    ]),
    "the signature does not fit",
    "signature"
  )
}
