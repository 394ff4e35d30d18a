/** RFC 9162 trees against an independent recursive definition, and against every kind of lie. */
import { createHash } from "node:crypto"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { toHex } from "../../core/proof/bytes.ts"
import {
  buildTree,
  consistencyProof,
  GrowingRoot,
  hashLeaves,
  inclusionProof,
  leafHash,
  root,
  type Tree,
  treeOf,
  verifyConsistency,
  verifyInclusion
} from "../../core/proof/merkle.ts"

// The definition of RFC 9162, 2.1, word by word: slow, and sharing nothing with the code under test.
const sha = (...parts: ReadonlyArray<Uint8Array>): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest()
const split = (n: number): number => {
  let k = 1
  while (k * 2 < n) k *= 2
  return k
}
const mth = (entries: ReadonlyArray<Uint8Array>): Buffer => {
  if (entries.length === 0) return sha()
  if (entries.length === 1) return sha(Buffer.of(0), ...entries)
  const k = split(entries.length)
  return sha(Buffer.of(1), mth(entries.slice(0, k)), mth(entries.slice(k)))
}
const path = (m: number, entries: ReadonlyArray<Uint8Array>): Array<Buffer> => {
  if (entries.length <= 1) return []
  const k = split(entries.length)
  return m < k
    ? [...path(m, entries.slice(0, k)), mth(entries.slice(k))]
    : [...path(m - k, entries.slice(k)), mth(entries.slice(0, k))]
}
const subproof = (m: number, entries: ReadonlyArray<Uint8Array>, whole: boolean): Array<Buffer> => {
  if (m === entries.length) return whole ? [] : [mth(entries)]
  const k = split(entries.length)
  return m <= k
    ? [...subproof(m, entries.slice(0, k), whole), mth(entries.slice(k))]
    : [...subproof(m - k, entries.slice(k), false), mth(entries.slice(0, k))]
}

const entry = (index: number): Uint8Array => Buffer.from(`entry ${index}`)
const entriesOf = (size: number) => Array.from({ length: size }, (_, index) => entry(index))
const hex = (hashes: ReadonlyArray<Uint8Array>) => hashes.map((hash) => toHex(hash))
const size = fc.integer({ min: 0, max: 300 })

const inclusionOf = (tree: Tree, index: number) => ({
  leaf: leafHash(entry(index)),
  index,
  size: tree.size,
  path: inclusionProof(tree, index),
  root: root(tree)
})

const consistencyOf = (tree: Tree, first: number) => ({
  firstSize: first,
  firstRoot: root(treeOf(entriesOf(first))),
  secondSize: tree.size,
  secondRoot: root(tree),
  path: consistencyProof(tree, first)
})

const flip = (bytes: Uint8Array, bit: number): Uint8Array => {
  const changed = bytes.slice()
  const at = (bit >> 3) % bytes.length
  changed[at] = (changed[at] ?? 0) ^ (1 << (bit & 7))
  return changed
}

describe("the Merkle tree", () => {
  it("has the roots of the definition for every size from 0 to 300", () => {
    for (let n = 0; n <= 300; n++) {
      assert.strictEqual(toHex(root(treeOf(entriesOf(n)))), toHex(mth(entriesOf(n))), `size ${n}`)
    }
  })

  it("gives the same root leaf by leaf, at every size from 0 to 300", () => {
    const growing = new GrowingRoot()
    const leaves: Array<Uint8Array> = []
    for (let size = 0; size <= 300; size++) {
      assert.strictEqual(growing.size, size)
      assert.strictEqual(toHex(growing.root), toHex(root(treeOf(leaves))))
      const leaf = Uint8Array.of(size % 256, 7)
      leaves.push(leaf)
      growing.add(leafHash(leaf))
    }
  })

  it("proves every leaf of every size to 40, and of random ones to 300, as the definition does", () => {
    const check = (n: number, index: number) => {
      const tree = treeOf(entriesOf(n))
      assert.deepStrictEqual(hex(inclusionProof(tree, index)), hex(path(index, entriesOf(n))))
      assert.isTrue(verifyInclusion(inclusionOf(tree, index)))
    }
    for (let n = 1; n <= 40; n++) for (let index = 0; index < n; index++) check(n, index)
    fc.assert(fc.property(size, fc.nat(299), (n, index) => check(n + 1, index % (n + 1))))
  })

  it("proves that it grew, for every pair of sizes to 40 and random ones to 300", () => {
    const check = (first: number, second: number) => {
      const tree = treeOf(entriesOf(second))
      const expected = first === 0 ? [] : subproof(first, entriesOf(second), true)
      assert.deepStrictEqual(hex(consistencyProof(tree, first)), hex(expected))
      assert.isTrue(verifyConsistency(consistencyOf(tree, first)), `${first} to ${second}`)
    }
    for (let n = 0; n <= 40; n++) for (let m = 0; m <= n; m++) check(m, n)
    fc.assert(fc.property(size, size, (a, b) => check(Math.min(a, b), Math.max(a, b))))
  })

  it("refuses an inclusion proof with any bit changed, another place, another length", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.nat(299), fc.nat(), (n, at, bit) => {
        const tree = treeOf(entriesOf(n))
        const proof = inclusionOf(tree, at % n)
        const lies = [
          { ...proof, leaf: flip(proof.leaf, bit) },
          { ...proof, root: flip(proof.root, bit) },
          ...proof.path.map((_, place) => ({
            ...proof,
            path: proof.path.map((hash, index) => (index === place ? flip(hash, bit) : hash))
          })),
          { ...proof, index: (proof.index + 1 + (bit % (n - 1))) % n },
          { ...proof, index: n },
          { ...proof, index: -1 },
          { ...proof, index: proof.index + 0.5 },
          { ...proof, size: 0 },
          { ...proof, path: [...proof.path, proof.leaf] },
          { ...proof, path: proof.path.slice(1) },
          { ...proof, path: proof.path.slice(0, -1) },
          { ...proof, path: [...proof.path].map((hash) => hash.slice(1)) }
        ]
        for (const lie of lies) assert.isFalse(verifyInclusion(lie))
      })
    )
  })

  it("refuses another tree size wherever the path says the size", () => {
    // The path's shape binds the size only as far as it differs; a size with the same shape gives the same root.
    for (let n = 1; n <= 20; n++) {
      for (let index = 0; index < n; index++) {
        const proof = inclusionOf(treeOf(entriesOf(n)), index)
        for (let other = index + 1; other <= 48; other++) {
          if (other === n || !verifyInclusion({ ...proof, size: other })) continue
          assert.strictEqual(path(index, entriesOf(other)).length, proof.path.length)
        }
        assert.isFalse(verifyInclusion({ ...proof, size: n * 4 + 1 }))
      }
    }
  })

  it("refuses a node offered as a leaf and a leaf offered as a node", () => {
    const tree = treeOf(entriesOf(4))
    const inner = [leafHash(entry(0)), leafHash(entry(1))]
    const forged = leafHash(Buffer.concat(inner))
    assert.isFalse(
      verifyInclusion({
        ...inclusionOf(tree, 0),
        leaf: forged,
        size: 2,
        path: inclusionProof(tree, 0).slice(1)
      })
    )
  })

  it("refuses a consistency proof with any bit changed, other sizes, another length", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), fc.nat(299), fc.nat(), (n, at, bit) => {
        const first = 1 + (at % (n - 1))
        const proof = consistencyOf(treeOf(entriesOf(n)), first)
        const lies = [
          { ...proof, firstRoot: flip(proof.firstRoot, bit) },
          { ...proof, secondRoot: flip(proof.secondRoot, bit) },
          ...proof.path.map((_, place) => ({
            ...proof,
            path: proof.path.map((hash, index) => (index === place ? flip(hash, bit) : hash))
          })),
          { ...proof, path: [...proof.path, proof.firstRoot] },
          { ...proof, path: proof.path.slice(1) },
          { ...proof, path: [] },
          { ...proof, firstSize: n, secondSize: first },
          { ...proof, firstSize: 0 },
          { ...proof, firstSize: n },
          { ...proof, firstSize: n + 1 },
          { ...proof, secondSize: n * 4 + 1 }
        ]
        for (const lie of lies) assert.isFalse(verifyConsistency(lie))
      })
    )
    const same = consistencyOf(treeOf(entriesOf(5)), 5)
    assert.isTrue(verifyConsistency(same))
    assert.isFalse(verifyConsistency({ ...same, path: [same.firstRoot] }))
  })

  it("refuses to make what is not there", () => {
    const tree = treeOf(entriesOf(3))
    assert.throws(() => inclusionProof(tree, 3), RangeError)
    assert.throws(() => consistencyProof(tree, 4), RangeError)
    assert.throws(() => buildTree(new Uint8Array(33)), /32 bytes/)
  })

  it("hashes long leaves and takes another SHA-256", () => {
    const entries = [new Uint8Array(5000).fill(7), new Uint8Array(), new Uint8Array(1024).fill(1)]
    const native = (bytes: Uint8Array): Uint8Array => sha(bytes)
    assert.deepStrictEqual(hashLeaves(entries, native), hashLeaves(entries))
    assert.strictEqual(toHex(root(treeOf(entries, native))), toHex(mth(entries)))
  })
})
