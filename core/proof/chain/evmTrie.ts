/** The hexary Merkle Patricia trie of EVM chains, whose keys are hashes of 32 bytes. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { equalBytes, fromHex, Malformed } from "../bytes.ts"
import { demand } from "../check.ts"
import type { Blobs } from "./blobs.ts"
import { nibblesOf } from "./hexes.ts"
import { once } from "./once.ts"
import { isList, itemsOf, type RlpItem, readRlp, rlpBytes } from "./rlp.ts"

/** Keccak-256 of the RLP of nothing: the root of a trie without entries. */
export const emptyRoot = fromHex("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421")

/** Bytes of the largest node: a branch has sixteen hashes, and a leaf less. */
const largest = 1024

type Node = ReadonlyArray<RlpItem>

/** The nibbles of a leaf or an extension, and which it is (hex prefix, yellow paper, appendix C). */
const pathOf = (item: RlpItem | undefined): { readonly path: Uint8Array; readonly leaf: boolean } => {
  const nibbles = nibblesOf(rlpBytes(item))
  const [flag] = nibbles
  if (flag === undefined || flag > 3) throw new Malformed("a node of the trie has an unknown form")
  const isOdd = (flag & 1) === 1
  demand(isOdd || nibbles[1] === 0, "a path in the trie is padded with something else than 0")
  return { path: nibbles.subarray(isOdd ? 1 : 2), leaf: flag >= 2 }
}

const nodeOf = once((bytes: Uint8Array): Node => {
  demand(bytes.length <= largest, "a node of the trie is too large")
  return itemsOf(readRlp(bytes), 2, 17)
})

/** The node that a reference names: embedded if it has less than 32 bytes, else by its hash. */
const childOf = (reference: RlpItem, nodes: Pick<Blobs, "get">): Node => {
  if (isList(reference)) {
    demand(reference.size < 32, "a node of the trie with 32 bytes and more is embedded")
    return itemsOf(reference, 2, 17)
  }
  const bytes = nodes.get(rlpBytes(reference, 32))
  demand(bytes.length >= 32, "a node of the trie with less than 32 bytes is not embedded")
  return nodeOf(bytes)
}

const isNothing = (item: RlpItem | undefined): boolean => item instanceof Uint8Array && item.length === 0

const childAt = (branch: Node, nibble: number | undefined): RlpItem | undefined => {
  if (nibble === undefined) throw new Malformed("a branch of the trie is below the end of the key")
  demand(isNothing(branch[16]), "a branch of the trie has a value")
  demand(branch.filter((child) => !isNothing(child)).length >= 2, "a branch of the trie has one child")
  const child = branch[nibble]
  return isNothing(child) ? undefined : child
}

/** Where an extension leads: to a branch, since its path is all that the keys below it share. */
const extended = (path: Uint8Array, child: RlpItem | undefined): RlpItem => {
  demand(path.length > 0, "an extension in the trie is of nothing")
  if (child === undefined || !(isList(child) || child.length === 32))
    throw new Malformed("an extension in the trie leads to nothing")
  return child
}

/**
 * The value under the hash of `key` in the trie with this root; undefined where the nodes prove that there is none. Throws `Malformed`
 * where they prove neither.
 */
export const valueUnder = (
  root: Uint8Array,
  key: Uint8Array,
  nodes: Pick<Blobs, "get">
): Uint8Array | undefined => {
  if (equalBytes(root, emptyRoot)) return undefined
  const way = nibblesOf(keccak_256(key))
  // A root may be short, unlike all other nodes that are not embedded.
  let node = nodeOf(nodes.get(root))
  for (let at = 0; ; ) {
    if (node.length === 17) {
      const child = childAt(node, way[at])
      if (child === undefined) return undefined
      node = childOf(child, nodes)
      at += 1
      continue
    }
    const { leaf, path } = pathOf(node[0])
    demand(at + path.length <= way.length, "a path in the trie is longer than the key")
    const isOnWay = path.every((nibble, index) => nibble === way[at + index])
    if (leaf) {
      demand(at + path.length === way.length, "a leaf of the trie is above the end of the key")
      const value = rlpBytes(node[1])
      return isOnWay ? value : undefined
    }
    const child = extended(path, node[1])
    if (!isOnWay) return undefined
    node = childOf(child, nodes)
    demand(node.length === 17, "an extension in the trie leads to something else than a branch")
    at += path.length
  }
}
