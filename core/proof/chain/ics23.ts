/**
 * ICS 23: proofs that a key is in a store of a Cosmos chain, or is not: in the IAVL tree of a module, and in the multistore under the
 * app hash. A proof states how its nodes are hashed; whatever is not exactly as these two trees do it is refused, since it could make
 * an inner node of what is a leaf.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { compareBytes, concat, equalBytes, Malformed } from "../bytes.ts"
import { demand } from "../check.ts"
import { bytesAt, fieldsOf, numberAt, varintAt } from "./proto.ts"

/** A node on the way from a leaf to the root. */
interface Inner {
  /** What is hashed before the child on the way, and after it. */
  readonly prefix: Uint8Array
  readonly suffix: Uint8Array
}

interface Existence {
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly leafPrefix: Uint8Array
  /** From the leaf on. */
  readonly path: ReadonlyArray<Inner>
}

export type Commitment =
  | { readonly exists: Existence }
  | { readonly key: Uint8Array; readonly left: Existence | undefined; readonly right: Existence | undefined }

/** How a store builds its tree. Both hash with SHA-256, and have the length of the key and that of the value's hash before each. */
export type Store = "iavl" | "multistore"

/** Deeper than any tree that memory can hold. */
const deepest = 128

const nothing = new Uint8Array()

const part = (fields: ReturnType<typeof fieldsOf>, number: number, what: string): Uint8Array => {
  const bytes = bytesAt(fields, number)
  if (bytes === undefined || bytes.length === 0) throw new Malformed(`ICS 23: a proof has no ${what}`)
  return bytes
}

/** Of a leaf: hashed with SHA-256 (1), the key as it is, the value hashed (1), lengths as varints (1). */
const leafPrefixOf = (bytes: Uint8Array): Uint8Array => {
  const fields = fieldsOf(bytes, [1, 3, 4, 5])
  demand(
    [1, 3, 4].every((number) => numberAt(fields, number) === 1n),
    "ICS 23: a leaf is hashed in an unknown way"
  )
  return bytesAt(fields, 5) ?? nothing
}

const innerOf = (value: bigint | Uint8Array): Inner => {
  if (typeof value === "bigint") throw new Malformed("ICS 23: an inner node is a number")
  const fields = fieldsOf(value, [1, 2, 3])
  demand(numberAt(fields, 1) === 1n, "ICS 23: an inner node is hashed in an unknown way")
  return { prefix: bytesAt(fields, 2) ?? nothing, suffix: bytesAt(fields, 3) ?? nothing }
}

const existenceOf = (bytes: Uint8Array): Existence => {
  const fields = fieldsOf(bytes, [1, 2, 3, 4], [4])
  const path = fields.get(4) ?? []
  demand(path.length <= deepest, "ICS 23: a proof is too deep")
  return {
    key: part(fields, 1, "key"),
    value: part(fields, 2, "value"),
    leafPrefix: leafPrefixOf(part(fields, 3, "leaf")),
    path: path.map(innerOf)
  }
}

/** A `CommitmentProof`, as `abci_query` gives it in `proofOps`. Batches and compressed ones are not read. Throws `Malformed`. */
export const readCommitment = (bytes: Uint8Array): Commitment => {
  const fields = fieldsOf(bytes, [1, 2])
  demand(fields.size === 1, "ICS 23: not one proof")
  const exists = bytesAt(fields, 1)
  if (exists !== undefined) return { exists: existenceOf(exists) }
  const absent = fieldsOf(bytesAt(fields, 2) ?? nothing, [1, 2, 3])
  const [left, right] = [bytesAt(absent, 2), bytesAt(absent, 3)]
  demand(left !== undefined || right !== undefined, "ICS 23: an absence has no neighbour")
  return { key: part(absent, 1, "key"), left: left && existenceOf(left), right: right && existenceOf(right) }
}

/** IAVL begins a node with its height, size and version, as signed numbers: twice each. A leaf has height 0 and size 1. */
const afterIavlPrefix = (prefix: Uint8Array, isLeaf: boolean): Uint8Array => {
  const [height, one] = varintAt(prefix, 0)
  const [size, two] = varintAt(prefix, one)
  const [, three] = varintAt(prefix, two)
  demand(
    isLeaf
      ? height === 0n && size === 2n
      : height > 0n && height % 2n === 0n && size > 2n && size % 2n === 0n,
    "ICS 23: a node has the prefix of another layer"
  )
  return prefix.subarray(three)
}

/** Whether the child on the way is the left one: its sibling's hash comes after it. */
const isLeft = ({ suffix }: Inner): boolean => suffix.length > 0
const isRight = (inner: Inner): boolean => !isLeft(inner)

const isMultistoreInner = (inner: Inner): boolean =>
  inner.prefix[0] === 1 &&
  (isLeft(inner) ? inner.prefix.length === 1 && inner.suffix.length === 32 : inner.prefix.length === 33)

/** Of IAVL, each of the two hashes has its length before it. */
const isIavlInner = (inner: Inner): boolean => {
  const { prefix, suffix } = inner
  const rest = afterIavlPrefix(prefix, false)
  return isLeft(inner)
    ? rest.length === 1 && rest[0] === 32 && suffix.length === 33 && suffix[0] === 32
    : rest.length === 34 && rest[0] === 32 && rest[33] === 32
}

const demandForm = (store: Store, { leafPrefix, path }: Existence): void => {
  demand(
    store === "iavl"
      ? afterIavlPrefix(leafPrefix, true).length === 0
      : leafPrefix.length === 1 && leafPrefix[0] === 0,
    "ICS 23: a leaf has another prefix"
  )
  demand(
    path.every(store === "iavl" ? isIavlInner : isMultistoreInner),
    "ICS 23: an inner node has another form than those of the store"
  )
}

const prefixed = (bytes: Uint8Array): Uint8Array => concat(lengthOf(bytes.length), bytes)

const lengthOf = (length: number): Uint8Array => {
  const bytes: Array<number> = []
  let rest = length
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return Uint8Array.of(...bytes, rest)
}

const demandExists = (store: Store, root: Uint8Array, proof: Existence): void => {
  demandForm(store, proof)
  const { key, leafPrefix, path, value } = proof
  const leaf = sha256(concat(leafPrefix, prefixed(key), prefixed(sha256(value))))
  const top = path.reduce((hash, { prefix, suffix }) => sha256(concat(prefix, hash, suffix)), leaf)
  demand(equalBytes(top, root), "ICS 23: a path does not lead to the root", "hash")
}

/** From the root down both ways are one, until they part at one node, below which nothing is between them. */
const areNeighbours = (left: Existence, right: Existence): boolean => {
  const [ofLeft, ofRight] = [left.path.toReversed(), right.path.toReversed()]
  const fork = ofLeft.findIndex((one, at) => {
    const other = ofRight[at]
    return (
      other === undefined || !equalBytes(one.prefix, other.prefix) || !equalBytes(one.suffix, other.suffix)
    )
  })
  const [a, b] = [ofLeft[fork], ofRight[fork]]
  return (
    a !== undefined &&
    b !== undefined &&
    isLeft(a) &&
    isRight(b) &&
    ofLeft.slice(fork + 1).every(isRight) &&
    ofRight.slice(fork + 1).every(isLeft)
  )
}

const isBetween = (left: Existence | undefined, right: Existence | undefined): boolean => {
  if (left === undefined) return right?.path.every(isLeft) === true
  return right === undefined ? left.path.every(isRight) : areNeighbours(left, right)
}

/**
 * The value under a key of a store with this root; undefined where the proof shows that there is none. Throws `Malformed` where it shows
 * neither.
 */
export const valueIn = (
  store: Store,
  root: Uint8Array,
  key: Uint8Array,
  proof: Commitment
): Uint8Array | undefined => {
  if ("exists" in proof) {
    demand(equalBytes(proof.exists.key, key), "ICS 23: a proof is of another key", "contradiction")
    demandExists(store, root, proof.exists)
    return proof.exists.value
  }
  const { left, right } = proof
  demand(equalBytes(proof.key, key), "ICS 23: a proof is of another key", "contradiction")
  if (left !== undefined) {
    demandExists(store, root, left)
    demand(
      compareBytes(left.key, key) < 0,
      "ICS 23: the left neighbour is not before the key",
      "contradiction"
    )
  }
  if (right !== undefined) {
    demandExists(store, root, right)
    demand(
      compareBytes(right.key, key) > 0,
      "ICS 23: the right neighbour is not after the key",
      "contradiction"
    )
  }
  demand(isBetween(left, right), "ICS 23: something may be between the neighbours", "contradiction")
  return undefined
}
