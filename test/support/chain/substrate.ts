/** Tries of Substrate, as a node of a chain builds them, and proofs of what is in them. */
import { concat, fromHex, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { type ChainProof, chainProofTag } from "../../../core/proof/chain/document.ts"
import { compact as compactOf, little as littleOf } from "../../../core/proof/chain/scaleWriter.ts"
import { blake2b256 } from "../../../core/proof/chain/substrateTrie.ts"
import { type Entry, radix, readIn as readTrie, type Trie } from "../../../runtime/tape/substrateTrie.ts"

export { type Entry, radix, type Trie } from "../../../runtime/tape/substrateTrie.ts"

export const little = (value: bigint | number, size: number): Uint8Array => littleOf(BigInt(value), size)

export const compact = (value: number): Uint8Array => compactOf(BigInt(value))

/** Nodes of a proof in their order. */
export const inOrder = (nodes: ReadonlyArray<Uint8Array>): ReadonlyArray<string> =>
  [...new Map(nodes.map((node) => [toHex(blake2b256(node)), toHex(node)]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, node]) => node)

/** The nodes that reading these keys takes, in their order, and what is under each. */
export const readIn = (trie: Trie, keys: ReadonlyArray<Uint8Array>) => {
  const { nodes, values } = readTrie(trie, keys)
  return { nodes: inOrder(nodes), values }
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
