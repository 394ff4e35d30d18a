/** Headers of Substrate chains. The hash commits to all bytes. */
import { concat, fromHex, Malformed } from "../bytes.ts"
import { demand } from "../check.ts"
import { bounds } from "./bounds.ts"
import type { Header } from "./family.ts"
import { bare, bytesOf } from "./hexes.ts"
import { ScaleReader } from "./scale.ts"
import { compact } from "./scaleWriter.ts"
import { blake2b256 } from "./substrateTrie.ts"

/** After the first members comes the digest, and with some chains more, which differ. Throws `Malformed`. */
export const readHeader = (bytes: Uint8Array): Header => {
  const input = new ScaleReader(bytes)
  input.take(32) // The parent's hash.
  const number = input.compact()
  const stateRoot = input.take(32)
  input.take(32) // The root of the extrinsics.
  if (input.left === 0) throw new Malformed("the header has no digest")
  return { hash: blake2b256(bytes), number, stateRoot }
}

/** A header as `chain_getHeader` tells it. All are hex after `0x`. */
export interface ToldHeader {
  readonly parentHash: string
  readonly number: string
  readonly stateRoot: string
  readonly extrinsicsRoot: string
  readonly digest: { readonly logs: ReadonlyArray<string> }
}

const wordOf = (text: string): Uint8Array => fromHex(bare(text), 32)

/**
 * The bytes of a header. What a chain has beside these members is not among them: then their hash is not the block's. Throws
 * `Malformed`.
 */
export const encodeHeader = ({ digest, extrinsicsRoot, number, parentHash, stateRoot }: ToldHeader) => {
  demand(/^0x[0-9a-f]{1,16}$/i.test(number), "the header has no number")
  return concat(
    wordOf(parentHash),
    compact(BigInt(number)),
    wordOf(stateRoot),
    wordOf(extrinsicsRoot),
    compact(BigInt(digest.logs.length)),
    ...digest.logs.map((log) => bytesOf("a log", bare(log), bounds.header))
  )
}
