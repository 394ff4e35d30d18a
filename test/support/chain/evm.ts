/** Tries of EVM chains, as a node of a chain builds them, and proofs of what is in them. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concat, fromHex, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { type ChainProof, chainProofTag } from "../../../core/proof/chain/document.ts"
import { emptyRoot } from "../../../core/proof/chain/evmTrie.ts"
import { nibblesOf } from "../../../core/proof/chain/hexes.ts"
import type { Entry, Trie } from "./substrate.ts"

/** What is written as RLP. */
export type Item = Uint8Array | ReadonlyArray<Item>

const even = (hex: string): string => hex.padStart(hex.length + (hex.length % 2), "0")

export const unsigned = (value: bigint): Uint8Array =>
  value === 0n ? new Uint8Array() : fromHex(even(value.toString(16)))

/** A number of 32 bytes. */
export const word = (value: bigint): Uint8Array => fromHex(value.toString(16).padStart(64, "0"))

const prefix = (length: number, base: number): Uint8Array => {
  if (length < 56) return Uint8Array.of(base + length)
  const size = fromHex(even(length.toString(16)))
  return concat(Uint8Array.of(base + 55 + size.length), size)
}

export const rlp = (item: Item): Uint8Array => {
  if (!(item instanceof Uint8Array)) {
    const body = concat(...item.map(rlp))
    return concat(prefix(body.length, 0xc0), body)
  }
  return item.length === 1 && (item[0] ?? 0) < 0x80 ? item : concat(prefix(item.length, 0x80), item)
}

/** A path of nibbles with its flag; `pad` is next to the flag where their number is even. */
export const hexPrefix = (path: ReadonlyArray<number>, leaf: boolean, pad = 0): Uint8Array => {
  const isOdd = path.length % 2 === 1
  const nibbles = [(leaf ? 2 : 0) + (isOdd ? 1 : 0), ...(isOdd ? [] : [pad]), ...path]
  return Uint8Array.from(
    { length: nibbles.length / 2 },
    (_, at) => ((nibbles[at * 2] ?? 0) << 4) | (nibbles[at * 2 + 1] ?? 0)
  )
}

type Part = ReadonlyArray<readonly [way: ReadonlyArray<number>, value: Uint8Array]>

/** A trie over keys that are hashed first. */
export const patricia = (entries: ReadonlyArray<Entry>): Trie => {
  const nodes = new Map<string, Uint8Array>()
  const reference = (item: Item, isRoot: boolean): Item => {
    const bytes = rlp(item)
    if (bytes.length < 32 && !isRoot) return item
    const hash = keccak_256(bytes)
    nodes.set(toHex(hash), bytes)
    return hash
  }
  const build = (part: Part, depth: number, isRoot = false): Item => {
    const [first] = part
    if (first === undefined) return new Uint8Array()
    if (part.length === 1) return reference([hexPrefix(first[0].slice(depth), true), first[1]], isRoot)
    let fork = depth
    while (part.every(([way]) => way[fork] === first[0][fork])) fork += 1
    if (fork > depth)
      return reference([hexPrefix(first[0].slice(depth, fork), false), build(part, fork)], isRoot)
    const children = Array.from({ length: 16 }, (_, nibble) =>
      build(
        part.filter(([way]) => way[depth] === nibble),
        depth + 1
      )
    )
    return reference([...children, new Uint8Array()], isRoot)
  }
  const root = build(
    entries.map(([key, value]) => [[...nibblesOf(keccak_256(key))], value] as const),
    0,
    true
  )
  return { root: root instanceof Uint8Array && root.length === 32 ? root : emptyRoot, nodes }
}

export const nodesInOrder = (nodes: ReadonlyArray<Uint8Array>): ReadonlyArray<string> =>
  [...new Map(nodes.map((node) => [toHex(keccak_256(node)), toHex(node)]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, node]) => node)

/** The header of a made-up block over a state. */
export const evmHeaderOver = (stateRoot: Uint8Array, number = 1_000_000n): Uint8Array => {
  const hash = new Uint8Array(32)
  return rlp([
    ...[hash, hash, new Uint8Array(20), stateRoot, hash, hash, new Uint8Array(256)],
    ...[unsigned(0n), unsigned(number), unsigned(30_000_000n), unsigned(0n), unsigned(1_790_000_000n)],
    ...[new Uint8Array(), hash, new Uint8Array(8), unsigned(7n)]
  ])
}

const quantities = new Set([
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "baseFeePerGas",
  "blobGasUsed",
  "excessBlobGas"
])

/** In the order in which they stand in a header; forks appended those from the base fee on. */
const members = [
  "parentHash",
  "sha3Uncles",
  "miner",
  "stateRoot",
  "transactionsRoot",
  "receiptsRoot",
  "logsBloom",
  "difficulty",
  "number",
  "gasLimit",
  "gasUsed",
  "timestamp",
  "extraData",
  "mixHash",
  "nonce",
  "baseFeePerGas",
  "withdrawalsRoot",
  "blobGasUsed",
  "excessBlobGas",
  "parentBeaconBlockRoot",
  "requestsHash"
]

/** The header of a block as `eth_getBlockByNumber` tells it. */
export const headerOfBlock = (block: Readonly<Record<string, string>>): Uint8Array =>
  rlp(
    members.flatMap((name) => {
      const text = block[name]
      if (text === undefined) return []
      return [quantities.has(name) ? unsigned(BigInt(text)) : fromHex(text.slice(2))]
    })
  )

interface ClaimOf {
  readonly kind: string
  readonly [member: string]: unknown
}

export const evmProof = (
  header: Uint8Array,
  number: number,
  nodes: ReadonlyArray<Uint8Array>,
  claims: ReadonlyArray<ClaimOf>,
  chain = "eip155:1"
): ChainProof => ({
  v: chainProofTag,
  chain,
  block: { number, hash: toHex(keccak_256(header)), header: toHex(header) },
  nodes: nodesInOrder(nodes),
  codes: [],
  claims: claims.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
})

/** A proof below a header that is made over the root. */
export const evmProofOver = (
  stateRoot: Uint8Array,
  nodes: ReadonlyArray<Uint8Array>,
  claims: ReadonlyArray<ClaimOf>
): ChainProof => evmProof(evmHeaderOver(stateRoot), 1_000_000, nodes, claims)

export const account = (storageRoot: Uint8Array, codeHash: Uint8Array, balance = 0n): Uint8Array =>
  rlp([unsigned(1n), unsigned(balance), storageRoot, codeHash])
