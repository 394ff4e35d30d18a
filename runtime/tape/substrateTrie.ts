/** Tries of Substrate, as a node of a chain builds them, and what it proves of them. */
import { concat, toHex } from "../../core/proof/bytes.ts"
import type { Blobs } from "../../core/proof/chain/blobs.ts"
import { nibblesOf } from "../../core/proof/chain/hexes.ts"
import { compact, little } from "../../core/proof/chain/scaleWriter.ts"
import { blake2b256, valueAt } from "../../core/proof/chain/substrateTrie.ts"

export type Entry = readonly [key: Uint8Array, value: Uint8Array]

export interface Trie {
  readonly root: Uint8Array
  /** By hash. */
  readonly nodes: ReadonlyMap<string, Uint8Array>
}

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
    isHashed(value) ? store(value) : concat(compact(BigInt(value.length)), value)
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
        return concat(compact(BigInt(reference.length)), reference)
      })
    return concat(
      branch(first[0].slice(depth, fork), here),
      little(BigInt(bitmap), 2),
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

/** The nodes that reading these keys takes, and what is under each. */
export const readIn = ({ nodes, root }: Trie, keys: ReadonlyArray<Uint8Array>) => {
  const used = new Map<string, Uint8Array>()
  const blobs: Pick<Blobs, "get"> = {
    get: (hash) => {
      const name = toHex(hash)
      const node = nodes.get(name)
      if (node === undefined) throw new Error(`no node ${name}`)
      used.set(name, node)
      return node
    }
  }
  const values = keys.map((key) => valueAt(root, key, blobs))
  return { nodes: [...used.values()], values }
}
