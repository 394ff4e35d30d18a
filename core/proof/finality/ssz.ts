/** Trees of the beacon chain (SSZ): roots over chunks of 32 bytes, and branches to them. */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, equalBytes } from "../bytes.ts"
import { exactly } from "../chain/hexes.ts"
import { demand } from "../check.ts"

const empty = new Uint8Array(32)

export const pair = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(concat(left, right))

/** A chunk of at most 32 bytes, filled up with zeros. */
export const chunk = (bytes: Uint8Array): Uint8Array => concat(bytes, new Uint8Array(32 - bytes.length))

/** A number of 64 bits as a chunk. */
export const uint64 = (value: number): Uint8Array => {
  const bytes = new Uint8Array(32)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value), true)
  return bytes
}

/** The root over chunks, filled up with zeros to a width that is a power of two. */
export const rootOver = (chunks: ReadonlyArray<Uint8Array>, width: number): Uint8Array => {
  let layer = Array.from({ length: width }, (_, at) => chunks[at] ?? empty)
  while (layer.length > 1)
    layer = Array.from({ length: layer.length / 2 }, (_, at) =>
      pair(layer[at * 2] ?? empty, layer[at * 2 + 1] ?? empty)
    )
  return layer[0] ?? empty
}

/** Throws `Malformed` unless the branch, hex, leads from what is at a generalized index to the root. */
export const demandBranch = (
  what: string,
  leaf: Uint8Array,
  branch: ReadonlyArray<string>,
  index: number,
  root: Uint8Array
): void => {
  const depth = index.toString(2).length - 1
  demand(branch.length === depth, `the branch of ${what} must have ${depth} nodes`)
  const top = branch.reduce((hash, text, at) => {
    const node = exactly("a node of a branch", text, 32)
    return ((index >> at) & 1) === 1 ? pair(node, hash) : pair(hash, node)
  }, leaf)
  demand(equalBytes(top, root), `the branch of ${what} does not lead to the root`, "hash")
}
