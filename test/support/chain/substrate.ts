/** Tries of Substrate, as a node of a chain builds them, and proofs of what is in them. */
import { concat, fromHex, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import type { Blobs } from "../../../core/proof/chain/blobs.ts"
import { type ChainProof, chainProofTag } from "../../../core/proof/chain/document.ts"
import { nibblesOf } from "../../../core/proof/chain/hexes.ts"
import { blake2b256, valueAt } from "../../../core/proof/chain/substrateTrie.ts"

export type Entry = readonly [key: Uint8Array, value: Uint8Array]

export interface Trie {
  readonly root: Uint8Array
  /** By hash. */
  readonly nodes: ReadonlyMap<string, Uint8Array>
}

export const little = (value: bigint | number, size: number): Uint8Array =>
  Uint8Array.from({ length: size }, (_, at) => Number((BigInt(value) >> BigInt(at * 8)) & 255n))

export const compact = (value: number): Uint8Array =>
  value < 64
    ? Uint8Array.of(value << 2)
    : value < 1 << 14
      ? little((value << 2) | 1, 2)
      : little(BigInt(value) * 4n + 2n, 4)

type Part = ReadonlyArray<readonly [way: ReadonlyArray<number>, value: Uint8Array]>

const packed = (nibbles: ReadonlyArray<number>): Uint8Array =>
  Uint8Array.from(
    { length: nibbles.length / 2 },
    (_, at) => ((nibbles[at * 2] ?? 0) << 4) | (nibbles[at * 2 + 1] ?? 0)
  )

const headOf = (first: number, bits: number, path: ReadonlyArray<number>): Uint8Array => {
  const full = (1 << bits) - 1
  const lengths = [first | Math.min(path.length, full)]
  if (path.length >= full) {
    let rest = path.length - full
    for (; rest >= 255; rest -= 255) lengths.push(255)
    lengths.push(rest)
  }
  return concat(Uint8Array.from(lengths), packed(path.length % 2 === 0 ? path : [0, ...path]))
}

/** A trie of these entries with the state version. */
export const radix = (entries: ReadonlyArray<Entry>, version: 0 | 1 = 1): Trie => {
  const nodes = new Map<string, Uint8Array>()
  const store = (bytes: Uint8Array): Uint8Array => {
    const hash = blake2b256(bytes)
    nodes.set(toHex(hash), bytes)
    return hash
  }
  const isHashed = (value: Uint8Array): boolean => version === 1 && value.length >= 33
  const body = (value: Uint8Array): Uint8Array =>
    isHashed(value) ? store(value) : concat(compact(value.length), value)
  const leaf = (path: ReadonlyArray<number>, value: Uint8Array): Uint8Array =>
    concat(isHashed(value) ? headOf(0x20, 5, path) : headOf(0x40, 6, path), body(value))
  const branch = (path: ReadonlyArray<number>, value: Uint8Array | undefined): Uint8Array => {
    if (value === undefined) return headOf(0x80, 6, path)
    return isHashed(value) ? headOf(0x10, 4, path) : headOf(0xc0, 6, path)
  }
  const build = (part: Part, depth: number): Uint8Array => {
    const [first] = part
    if (first === undefined) return Uint8Array.of(0)
    if (part.length === 1) return leaf(first[0].slice(depth), first[1])
    let fork = depth
    while (part.every(([way]) => way.length > fork && way[fork] === first[0][fork])) fork += 1
    const here = part.find(([way]) => way.length === fork)?.[1]
    const children = Array.from({ length: 16 }, (_, nibble) => part.filter(([way]) => way[fork] === nibble))
    const bitmap = children.reduce((bits, { length }, index) => bits | (length > 0 ? 1 << index : 0), 0)
    const references = children
      .filter(({ length }) => length > 0)
      .map((child) => {
        const node = build(child, fork + 1)
        const reference = node.length < 32 ? node : store(node)
        return concat(compact(reference.length), reference)
      })
    return concat(
      branch(first[0].slice(depth, fork), here),
      little(bitmap, 2),
      ...(here === undefined ? [] : [body(here)]),
      ...references
    )
  }
  return {
    root: store(
      build(
        entries.map(([key, value]) => [[...nibblesOf(key)], value] as const),
        0
      )
    ),
    nodes
  }
}

/** Nodes of a proof in their order. */
export const inOrder = (nodes: ReadonlyArray<Uint8Array>): ReadonlyArray<string> =>
  [...new Map(nodes.map((node) => [toHex(blake2b256(node)), toHex(node)]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, node]) => node)

/** The nodes that reading these keys takes, and what is under each. */
export const readIn = ({ nodes, root }: Trie, keys: ReadonlyArray<Uint8Array>) => {
  const used = new Map<string, Uint8Array>()
  const blobs: Blobs = {
    get: (hash) => {
      const node = nodes.get(toHex(hash))
      if (node === undefined) throw new Error(`no node ${toHex(hash)}`)
      used.set(toHex(hash), node)
      return node
    },
    demandAllUsed: () => undefined
  }
  const values = keys.map((key) => valueAt(root, key, blobs))
  return { nodes: inOrder([...used.values()]), values }
}

export const headerOver = (root: Uint8Array, number = 4321): Uint8Array =>
  concat(new Uint8Array(32).fill(7), compact(number), root, new Uint8Array(32).fill(9), Uint8Array.of(0))

export const polkadot = "polkadot:91b171bb158e2d3848fa23a9f1c25182"

/** A proof below a header that is made over the root. */
export const proofOver = (
  root: Uint8Array,
  nodes: ReadonlyArray<string>,
  claims: ReadonlyArray<{ readonly key: string; readonly value: string | null }>,
  number = 4321
): ChainProof => {
  const header = headerOver(root, number)
  return {
    v: chainProofTag,
    chain: polkadot,
    block: { number, hash: toHex(blake2b256(header)), header: toHex(header) },
    nodes,
    codes: [],
    claims: claims
      .map((claim) => ({ kind: "substrate-storage", ...claim }))
      .toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
  }
}

/** The proof of what a trie has under these keys. */
export const proofOf = (trie: Trie, keys: ReadonlyArray<Uint8Array>): ChainProof => {
  const { nodes, values } = readIn(trie, keys)
  return proofOver(
    trie.root,
    nodes,
    keys.map((key, at) => {
      const value = values[at]
      return { key: toHex(key), value: value === undefined ? null : toHex(value) }
    })
  )
}

/** A state like that of Bittensor: subnets with a few values each, one without its list, among many other entries. */
export const subnets = (count: number, others = 2000) => {
  const prefix = (name: string) => blake2b256(new TextEncoder().encode(name))
  const flags = (seed: number) =>
    concat(
      compact(256),
      Uint8Array.from({ length: 256 }, (_, index) => ((index * 7 + seed * 13) % 3 === 0 ? 1 : 0))
    )
  const entries: Array<Entry> = [
    [
      fromHex("f0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"),
      little(1_790_000_000_000n, 8)
    ]
  ]
  const keys: Array<Uint8Array> = entries.map(([key]) => key)
  for (let netuid = 0; netuid < count; netuid++) {
    for (const [item, value] of [
      ["SubnetworkN", little(256, 2)],
      ["Burn", little(1_000_000n + BigInt(netuid), 8)],
      ["SubnetVolume", little(BigInt(netuid) << 70n, 16)],
      ["Active", flags(netuid)]
    ] as const) {
      const key = concat(prefix(item), little(netuid, 2))
      keys.push(key)
      if (item !== "Active" || netuid !== 3) entries.push([key, value])
    }
  }
  for (let index = 0; index < others; index++)
    entries.push([
      concat(prefix("Account"), blake2b256(little(index, 8))),
      new Uint8Array(80).fill(index & 255)
    ])
  return { trie: radix(entries), keys }
}
