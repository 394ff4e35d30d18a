/** Tries of EVM chains, as a node of a chain builds them. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { toHex } from "../../core/proof/bytes.ts"
import { emptyRoot } from "../../core/proof/chain/evmTrie.ts"
import { nibblesOf } from "../../core/proof/chain/hexes.ts"
import { type Item, rlp } from "../../core/proof/chain/rlpWriter.ts"
import type { Entry, Trie } from "./substrateTrie.ts"

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
