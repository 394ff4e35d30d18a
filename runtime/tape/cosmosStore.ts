/** Builds what a node of a Cosmos chain proves from: the IAVL tree of a module's store, the tree over the stores, and proofs of both (ICS 23). */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, utf8 } from "../../core/proof/bytes.ts"
import { bytes, message, number, prefixed, varint } from "../../core/proof/chain/protoWriter.ts"
import type { Entry } from "./substrateTrie.ts"

const signed = (value: number): Uint8Array => varint(BigInt(value) * 2n)

/** How a leaf is hashed. */
export const leafOp = (prefix: Uint8Array): Uint8Array =>
  concat(number(1, 1n), number(3, 1n), number(4, 1n), bytes(5, prefix))

/** How an inner node is hashed. */
export const innerOp = (prefix: Uint8Array, suffix: Uint8Array = new Uint8Array()): Uint8Array =>
  concat(number(1, 1n), bytes(2, prefix), bytes(3, suffix))

/** A proof that a key has a value. */
export const existence = (
  key: Uint8Array,
  value: Uint8Array,
  leaf: Uint8Array,
  path: ReadonlyArray<Uint8Array>
): Uint8Array =>
  concat(bytes(1, key), bytes(2, value), message(3, leaf), ...path.map((step) => message(4, step)))

const version = 7

interface Tree {
  readonly hash: Uint8Array
  readonly height: number
  readonly from: number
  readonly size: number
  readonly children?: readonly [left: Tree, right: Tree]
}

/** A balanced IAVL tree over entries in the order of their keys. */
export const iavlTree = (entries: ReadonlyArray<Entry>) => {
  const leafPrefix = concat(signed(0), signed(1), signed(version))
  const prefixOf = ({ height, size }: Pick<Tree, "height" | "size">) =>
    concat(signed(height), signed(size), signed(version))
  const build = (from: number, to: number): Tree => {
    if (to - from === 1) {
      const [key = new Uint8Array(), value = new Uint8Array()] = entries[from] ?? []
      return {
        hash: sha256(concat(leafPrefix, prefixed(key), prefixed(sha256(value)))),
        height: 0,
        from,
        size: 1
      }
    }
    const middle = from + Math.ceil((to - from) / 2)
    const [left, right] = [build(from, middle), build(middle, to)]
    const of = { height: Math.max(left.height, right.height) + 1, size: to - from }
    const hash = sha256(concat(prefixOf(of), prefixed(left.hash), prefixed(right.hash)))
    return { ...of, hash, from, children: [left, right] }
  }
  const top = build(0, entries.length)
  const pathTo = (index: number, { children, ...tree }: Tree): ReadonlyArray<Uint8Array> => {
    if (children === undefined) return []
    const [left, right] = children
    const length = Uint8Array.of(32)
    return index < right.from
      ? [...pathTo(index, left), innerOp(concat(prefixOf(tree), length), prefixed(right.hash))]
      : [...pathTo(index, right), innerOp(concat(prefixOf(tree), prefixed(left.hash), length))]
  }
  const proofOf = (index: number): Uint8Array => {
    const [key = new Uint8Array(), value = new Uint8Array()] = entries[index] ?? []
    return existence(key, value, leafOp(leafPrefix), pathTo(index, top))
  }
  return {
    root: top.hash,
    exists: (index: number): Uint8Array => message(1, proofOf(index)),
    absent: (key: Uint8Array, left: number | undefined, right: number | undefined): Uint8Array =>
      message(
        2,
        concat(
          bytes(1, key),
          left === undefined ? new Uint8Array() : message(2, proofOf(left)),
          right === undefined ? new Uint8Array() : message(3, proofOf(right))
        )
      )
  }
}

/** The tree over the stores of a chain, and the proof of one of them. */
export const multistore = (
  stores: ReadonlyArray<readonly [name: string, root: Uint8Array]>,
  index: number
) => {
  const leaves = stores.map(([name, top]) =>
    sha256(concat(Uint8Array.of(0), prefixed(utf8(name)), prefixed(sha256(top))))
  )
  const path: Array<Uint8Array> = []
  const one = Uint8Array.of(1)
  const build = (from: number, to: number): Uint8Array => {
    if (to - from === 1) return leaves[from] ?? new Uint8Array()
    let split = 1
    while (split * 2 < to - from) split *= 2
    const [left, right] = [build(from, from + split), build(from + split, to)]
    if (index >= from && index < to)
      path.push(index < from + split ? innerOp(one, right) : innerOp(concat(one, left)))
    return sha256(concat(one, left, right))
  }
  const top = build(0, stores.length)
  const [name = "", value = new Uint8Array()] = stores[index] ?? []
  return { root: top, proof: message(1, existence(utf8(name), value, leafOp(Uint8Array.of(0)), path)) }
}
