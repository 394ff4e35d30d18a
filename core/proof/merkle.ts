/**
 * The Merkle tree of RFC 9162, section 2.1: leaf = SHA-256(0x00 || entry), node = SHA-256(0x01 || left || right), and a
 * lone last node moves up unchanged. Stores all levels, 32 bytes per node, so building a proof only slices them and needs
 * no hashing.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, equalBytes, Malformed } from "./bytes.ts"

/** The server passes its native SHA-256; the default is portable. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

export const hashLength = 32

/** Levels from the leaf hashes up to the root; level `l` holds ceil(size / 2^l) concatenated nodes. */
export interface Tree {
  readonly size: number
  readonly levels: ReadonlyArray<Uint8Array>
}

/** Returns node `index` of `level`, counted from the leaves. */
export type NodeAt = (level: number, index: number) => Uint8Array

export const leafHash = (entry: Uint8Array, sha: Sha256 = sha256): Uint8Array => {
  const prefixed = new Uint8Array(entry.length + 1)
  prefixed.set(entry, 1)
  return sha(prefixed)
}

export const nodeHash = (left: Uint8Array, right: Uint8Array, sha: Sha256 = sha256): Uint8Array =>
  sha(concat(Uint8Array.of(1), left, right))

/** The concatenated leaf hashes of `entries`, as input for `buildTree`. */
export const hashLeaves = (entries: ReadonlyArray<Uint8Array>, sha: Sha256 = sha256): Uint8Array => {
  const hashes = new Uint8Array(entries.length * hashLength)
  let scratch = new Uint8Array(1024)
  let at = 0
  for (const entry of entries) {
    if (entry.length >= scratch.length) scratch = new Uint8Array(entry.length * 2)
    // Byte 0 stays the leaf prefix 0x00.
    scratch.set(entry, 1)
    hashes.set(sha(scratch.subarray(0, entry.length + 1)), at)
    at += hashLength
  }
  return hashes
}

/** Builds the tree over concatenated leaf hashes; keeps `leaves` as its lowest level. */
export const buildTree = (leaves: Uint8Array, sha: Sha256 = sha256): Tree => {
  if (leaves.length % hashLength !== 0) throw new Malformed("leaf hashes must be 32 bytes each")
  const levels = [leaves]
  const scratch = new Uint8Array(1 + 2 * hashLength)
  scratch[0] = 1
  let below = leaves
  while (below.length > hashLength) {
    const pairs = Math.floor(below.length / (2 * hashLength))
    const lone = below.length - pairs * 2 * hashLength
    const level = new Uint8Array(pairs * hashLength + lone)
    for (let pair = 0; pair < pairs; pair++) {
      scratch.set(below.subarray(pair * 2 * hashLength, (pair + 1) * 2 * hashLength), 1)
      level.set(sha(scratch), pair * hashLength)
    }
    level.set(below.subarray(pairs * 2 * hashLength), pairs * hashLength)
    levels.push(level)
    below = level
  }
  return { size: leaves.length / hashLength, levels }
}

export const treeOf = (entries: ReadonlyArray<Uint8Array>, sha: Sha256 = sha256): Tree =>
  buildTree(hashLeaves(entries, sha), sha)

/** The root of a tree whose leaves come one after the other: it keeps one node of each level, however many there are. */
export class GrowingRoot {
  readonly #sha: Sha256
  /** The roots of the full trees from left to right, of ever smaller sizes. */
  readonly #peaks: Array<Uint8Array> = []
  #size = 0

  constructor(sha: Sha256 = sha256) {
    this.#sha = sha
  }

  get size(): number {
    return this.#size
  }

  /** Adds a leaf by its hash. */
  add(hash: Uint8Array): void {
    let node = hash
    for (let left = this.#size++; odd(left); left = Math.floor(left / 2)) {
      node = nodeHash(this.#peaks.pop() ?? node, node, this.#sha)
    }
    this.#peaks.push(node)
  }

  get root(): Uint8Array {
    const [first, ...rest] = this.#peaks.toReversed()
    return first === undefined
      ? this.#sha(new Uint8Array())
      : rest.reduce((right, left) => nodeHash(left, right, this.#sha), first)
  }
}

/** The root; for an empty tree, the SHA-256 of the empty string. */
export const root = (tree: Tree, sha: Sha256 = sha256): Uint8Array =>
  tree.size === 0 ? sha(new Uint8Array()) : treeNodes(tree)(tree.levels.length - 1, 0)

export const treeNodes =
  (tree: Tree): NodeAt =>
  (level, index) => {
    const nodes = tree.levels[level]
    if (nodes === undefined || index < 0 || (index + 1) * hashLength > nodes.length) {
      throw new RangeError(`the tree of ${tree.size} leaves has no node ${index} at level ${level}`)
    }
    return nodes.subarray(index * hashLength, (index + 1) * hashLength)
  }

/** The inclusion proof of a leaf: the siblings on the path to the root, lowest first (RFC 9162, 2.1.3.1). */
export const inclusionProof = (tree: Tree, index: number): Array<Uint8Array> =>
  inclusionFrom(treeNodes(tree), tree.size, index)

/** The proof that `tree` extends the tree of its first `first` leaves (RFC 9162, 2.1.4.1). */
export const consistencyProof = (tree: Tree, first: number): Array<Uint8Array> =>
  consistencyFrom(treeNodes(tree), first, tree.size)

/** `inclusionProof` over nodes stored elsewhere, such as tiles or SQL. */
export const inclusionFrom = (nodeAt: NodeAt, size: number, index: number): Array<Uint8Array> => {
  if (!isCount(size) || !isCount(index) || index >= size) {
    throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`)
  }
  return siblings(nodeAt, size, 0, index)
}

/** `consistencyProof` over nodes of the newer tree stored elsewhere. */
export const consistencyFrom = (nodeAt: NodeAt, first: number, second: number): Array<Uint8Array> => {
  if (!isCount(first) || !isCount(second) || first > second) {
    throw new RangeError(`a tree of ${second} leaves cannot extend one of ${first}`)
  }
  if (first === 0 || first === second) return []
  let index = first - 1
  let level = 0
  while (odd(index)) {
    index = half(index)
    level++
  }
  // At index 0 the older tree is a complete node of the newer one, and the verifier already has its hash.
  return [...(index === 0 ? [] : [nodeAt(level, index)]), ...siblings(nodeAt, second, level, index)]
}

const siblings = (nodeAt: NodeAt, size: number, from: number, start: number): Array<Uint8Array> => {
  const path: Array<Uint8Array> = []
  let index = start
  let last = Math.floor((size - 1) / 2 ** from)
  for (let level = from; last > 0; level++) {
    const sibling = odd(index) ? index - 1 : index + 1
    if (sibling <= last) path.push(nodeAt(level, sibling))
    index = half(index)
    last = half(last)
  }
  return path
}

/** True if `leaf` (a leaf hash) is at `index` in the tree with this size and root (RFC 9162, 2.1.3.2). */
export const verifyInclusion = (proof: {
  readonly leaf: Uint8Array
  readonly index: number
  readonly size: number
  readonly path: ReadonlyArray<Uint8Array>
  readonly root: Uint8Array
}): boolean => {
  const { index, leaf, path, size } = proof
  if (!isCount(size) || !isCount(index) || index >= size) return false
  if (![leaf, proof.root, ...path].every(isHash)) return false
  let fn = index
  let sn = size - 1
  let hash = leaf
  for (const sibling of path) {
    if (sn === 0) return false
    if (odd(fn) || fn === sn) {
      hash = nodeHash(sibling, hash)
      while (!odd(fn) && fn !== 0) {
        fn = half(fn)
        sn = half(sn)
      }
    } else {
      hash = nodeHash(hash, sibling)
    }
    fn = half(fn)
    sn = half(sn)
  }
  return sn === 0 && equalBytes(hash, proof.root)
}

/** True if the tree (secondSize, secondRoot) extends (firstSize, firstRoot) (RFC 9162, 2.1.4.2). */
export const verifyConsistency = (proof: {
  readonly firstSize: number
  readonly firstRoot: Uint8Array
  readonly secondSize: number
  readonly secondRoot: Uint8Array
  readonly path: ReadonlyArray<Uint8Array>
}): boolean => {
  const { firstRoot, firstSize, secondRoot, secondSize } = proof
  if (!isCount(firstSize) || !isCount(secondSize) || firstSize > secondSize) return false
  if (![firstRoot, secondRoot, ...proof.path].every(isHash)) return false
  if (firstSize === secondSize) return proof.path.length === 0 && equalBytes(firstRoot, secondRoot)
  if (firstSize === 0) return proof.path.length === 0 && equalBytes(firstRoot, sha256(new Uint8Array()))
  let fn = firstSize - 1
  let sn = secondSize - 1
  while (odd(fn)) {
    fn = half(fn)
    sn = half(sn)
  }
  // fn is 0 exactly if the older size is a power of two; its root is then the first node.
  const [start, ...rest] = fn === 0 ? [firstRoot, ...proof.path] : proof.path
  if (start === undefined || (fn === 0 && rest.length === 0)) return false
  let older = start
  let newer = start
  for (const node of rest) {
    if (sn === 0) return false
    if (odd(fn) || fn === sn) {
      older = nodeHash(node, older)
      newer = nodeHash(node, newer)
      while (!odd(fn) && fn !== 0) {
        fn = half(fn)
        sn = half(sn)
      }
    } else {
      newer = nodeHash(newer, node)
    }
    fn = half(fn)
    sn = half(sn)
  }
  return sn === 0 && equalBytes(older, firstRoot) && equalBytes(newer, secondRoot)
}

// Arithmetic instead of shifts, because sizes may exceed 2^31.
const odd = (n: number): boolean => n % 2 === 1
const half = (n: number): number => Math.floor(n / 2)
const isCount = (n: number): boolean => Number.isSafeInteger(n) && n >= 0
const isHash = (bytes: Uint8Array): boolean => bytes.length === hashLength
