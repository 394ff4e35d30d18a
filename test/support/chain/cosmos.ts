/** Stores of Cosmos chains with their proofs (ICS 23), and headers, as a node of a chain makes them. */
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, fromBase64, fromHex, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { type ChainProof, chainProofTag } from "../../../core/proof/chain/document.ts"
import { root, treeOf } from "../../../core/proof/merkle.ts"
import type { Entry } from "./substrate.ts"

export const varint = (value: bigint): Uint8Array => {
  const bytes: Array<number> = []
  let rest = BigInt.asUintN(64, value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Uint8Array.of(...bytes, Number(rest))
}

/** A field of a message, unless it has the value that is left out. */
export const number = (field: number, value: bigint): Uint8Array =>
  value === 0n ? new Uint8Array() : concat(varint(BigInt(field) << 3n), varint(value))
export const message = (field: number, value: Uint8Array): Uint8Array =>
  concat(varint((BigInt(field) << 3n) | 2n), prefixed(value))
const bytes = (field: number, value: Uint8Array): Uint8Array =>
  value.length === 0 ? value : message(field, value)

export const prefixed = (value: Uint8Array): Uint8Array => concat(varint(BigInt(value.length)), value)
const signed = (value: number): Uint8Array => varint(BigInt(value) * 2n)

/** How a leaf or an inner node is hashed. */
export const leafOp = (prefix: Uint8Array): Uint8Array =>
  concat(number(1, 1n), number(3, 1n), number(4, 1n), bytes(5, prefix))
export const innerOp = (prefix: Uint8Array, suffix: Uint8Array = new Uint8Array()): Uint8Array =>
  concat(number(1, 1n), bytes(2, prefix), bytes(3, suffix))
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

/** A header as `/commit` of a node tells it. */
export interface CometHeader {
  readonly version: { readonly block: string; readonly app?: string }
  readonly chain_id: string
  readonly height: string
  readonly time: string
  readonly last_block_id: {
    readonly hash: string
    readonly parts: { readonly total: number; readonly hash: string }
  }
  readonly [hash: string]: unknown
}

const upper = (hex: unknown): Uint8Array => fromHex(String(hex).toLowerCase())

const timeOf = (time: string): Uint8Array => {
  const [seconds = "", fraction = ""] = time.replace("Z", "").split(".")
  return concat(
    number(1, BigInt(Date.parse(`${seconds}Z`) / 1000)),
    number(2, BigInt(fraction.padEnd(9, "0")))
  )
}

const hashes = [
  "last_commit_hash",
  "data_hash",
  "validators_hash",
  "next_validators_hash",
  "consensus_hash",
  "app_hash",
  "last_results_hash",
  "evidence_hash",
  "proposer_address"
]

/** The members of a header, each as it is hashed. */
export const membersOf = (header: CometHeader): ReadonlyArray<Uint8Array> => {
  const { hash, parts } = header.last_block_id
  return [
    concat(number(1, BigInt(header.version.block)), number(2, BigInt(header.version.app ?? 0))),
    bytes(1, utf8(header.chain_id)),
    number(1, BigInt(header.height)),
    timeOf(header.time),
    concat(
      bytes(1, upper(hash)),
      message(2, concat(number(1, BigInt(parts.total)), bytes(2, upper(parts.hash))))
    ),
    ...hashes.map((name) => bytes(1, upper(header[name])))
  ]
}

/** A validator as the header hashes it. */
export const validatorOf = (one: {
  readonly pub_key: { readonly value: string }
  readonly voting_power: string
}): string =>
  toHex(concat(message(1, message(1, fromBase64(one.pub_key.value))), number(2, BigInt(one.voting_power))))

interface ClaimOf {
  readonly kind: string
  readonly [member: string]: unknown
}

export const cosmosProof = (
  members: ReadonlyArray<Uint8Array>,
  chain: string,
  height: number,
  claims: ReadonlyArray<ClaimOf>
): ChainProof => ({
  v: chainProofTag,
  chain: `cosmos:${chain}`,
  block: {
    number: height,
    hash: toHex(root(treeOf([...members]))),
    header: toHex(concat(...members.map(prefixed)))
  },
  nodes: [],
  codes: [],
  claims: claims.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
})
