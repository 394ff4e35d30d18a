/** The base-16 Merkle trie of Substrate chains, with state version 0 and 1 (`sp-trie`, LayoutV0 and LayoutV1). */
import { blake2b } from "@noble/hashes/blake2.js"
import { Malformed } from "../bytes.ts"
import { demand } from "../check.ts"
import type { Blobs } from "./blobs.ts"
import { bounds } from "./bounds.ts"
import { nibblesOf } from "./hexes.ts"
import { once } from "./once.ts"
import { ScaleReader } from "./scale.ts"

export const blake2b256 = (bytes: Uint8Array): Uint8Array => blake2b(bytes, { dkLen: 32 })

/** State version 1 has a value of this size and more by its hash. */
const byItsHash = 33

interface Node {
  readonly path: Uint8Array
  readonly value: { readonly inline: Uint8Array } | { readonly hash: Uint8Array } | undefined
  /** Of a branch, 16: the bytes of an embedded node, or the hash of 32. A leaf has none. */
  readonly children: ReadonlyArray<Uint8Array | undefined>
}

interface Form {
  readonly leaf: boolean
  readonly value: "inline" | "hash" | "none"
  /** Bits of the first byte that begin the length of the path. */
  readonly bits: number
}

const formOf = (first: number): Form => {
  if (first >> 6 === 1) return { leaf: true, value: "inline", bits: 6 }
  if (first >> 6 === 2) return { leaf: false, value: "none", bits: 6 }
  if (first >> 6 === 3) return { leaf: false, value: "inline", bits: 6 }
  if (first >> 5 === 1) return { leaf: true, value: "hash", bits: 5 }
  if (first >> 4 === 1) return { leaf: false, value: "hash", bits: 4 }
  throw new Malformed("a node of the trie has an unknown form")
}

const readPath = (input: ScaleReader, first: number, bits: number): Uint8Array => {
  const full = (1 << bits) - 1
  let length = first & full
  if (length === full) {
    for (let more = 255; more === 255; ) {
      more = input.byte()
      length += more
      demand(length <= bounds.key * 2, "a path in the trie is too long")
    }
  }
  const nibbles = nibblesOf(input.take(Math.ceil(length / 2)))
  if (length % 2 === 0) return nibbles
  demand(nibbles[0] === 0, "a path in the trie is padded with something else than 0")
  return nibbles.subarray(1)
}

const readValue = (input: ScaleReader, { value }: Form): Node["value"] => {
  if (value === "none") return undefined
  return value === "hash" ? { hash: input.take(32) } : { inline: input.bytes() }
}

const readChildren = (input: ScaleReader, bitmap: number): Node["children"] =>
  Array.from({ length: 16 }, (_, index) => {
    if ((bitmap & (1 << index)) === 0) return undefined
    const child = input.bytes()
    demand(child.length > 0 && child.length <= 32, "a reference in the trie must have 1 to 32 bytes")
    return child
  })

const decode = once((bytes: Uint8Array): Node => {
  const input = new ScaleReader(bytes)
  const first = input.byte()
  const form = formOf(first)
  const path = readPath(input, first, form.bits)
  const bitmap = form.leaf ? 0 : Number(input.unsigned(2))
  demand(form.leaf || bitmap !== 0, "a branch of the trie has no child")
  demand(
    form.leaf || form.value !== "none" || (bitmap & (bitmap - 1)) !== 0,
    "a branch of the trie has one child and no value"
  )
  const value = readValue(input, form)
  const children = readChildren(input, bitmap)
  input.end()
  return { path, value, children }
})

const valueOf = (value: Node["value"], nodes: Pick<Blobs, "get">): Uint8Array | undefined => {
  if (value === undefined || "inline" in value) return value?.inline
  const bytes = nodes.get(value.hash)
  demand(bytes.length >= byItsHash, "a short value of the trie is there by its hash")
  return bytes
}

/** A node of 32 bytes and more is there by its hash, a smaller one as it is. */
const childOf = (reference: Uint8Array, nodes: Pick<Blobs, "get">): Node => {
  if (reference.length < 32) return decode(reference)
  const bytes = nodes.get(reference)
  demand(bytes.length >= 32, "a node of the trie with less than 32 bytes is not embedded")
  return decode(bytes)
}

/** The value under a key; undefined where the nodes prove that there is none. Throws `Malformed` where they prove neither. */
export const valueAt = (
  root: Uint8Array,
  key: Uint8Array,
  nodes: Pick<Blobs, "get">
): Uint8Array | undefined => {
  const whole = nodes.get(root)
  // A trie without entries is the one byte 0.
  if (whole.length === 1 && whole[0] === 0) return undefined
  const way = nibblesOf(key)
  let node = decode(whole)
  for (let at = 0; ; at++) {
    const { children, path, value } = node
    if (at + path.length > way.length || path.some((nibble, index) => nibble !== way[at + index]))
      return undefined
    at += path.length
    const next = way[at]
    if (next === undefined) return valueOf(value, nodes)
    const child = children[next]
    if (child === undefined) return undefined
    node = childOf(child, nodes)
  }
}
