/** The log as plain files: paths, contents, and proofs made out of tiles alone. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { toHex, utf8 } from "../../core/proof/bytes.ts"
import {
  consistencyFrom,
  consistencyProof,
  inclusionFrom,
  inclusionProof,
  root,
  treeNodes,
  treeOf
} from "../../core/proof/merkle.ts"
import {
  entriesPath,
  entryBundle,
  parseEntryBundle,
  parseTilePath,
  tileAt,
  tileBytes,
  tileNodes,
  tilePath,
  tilesNeeded,
  tilesOf
} from "../../core/proof/tiles.ts"

const treeOfSize = (size: number) =>
  treeOf(Array.from({ length: size }, (_, index) => utf8(`entry ${index}`)))
const hex = (hashes: ReadonlyArray<Uint8Array>) => hashes.map((hash) => toHex(hash))

describe("tiles", () => {
  it("have the paths of the C2SP page", () => {
    assert.strictEqual(tilePath({ level: 0, index: 1234067, width: 256 }), "tile/0/x001/x234/067")
    assert.strictEqual(tilePath({ level: 1, index: 0, width: 17 }), "tile/1/000.p/17")
    assert.strictEqual(entriesPath(1000, 256), "tile/entries/x001/000")
    assert.strictEqual(entriesPath(0, 5), "tile/entries/000.p/5")
  })

  it("are found again by their paths, and by no other", () => {
    fc.assert(
      fc.property(
        fc.nat(62),
        fc.nat(2_000_000_000),
        fc.integer({ min: 1, max: 256 }),
        (level, index, width) => {
          assert.deepStrictEqual(parseTilePath(tilePath({ level, index, width }).slice(5)), {
            level,
            index,
            width
          })
          assert.deepStrictEqual(parseTilePath(entriesPath(index, width).slice(5)), {
            level: "entries",
            index,
            width
          })
        }
      )
    )
    const bad =
      "0 0/0 0/1000 0/x000/001 0/000.p/0 0/000.p/256 0/000.p/01 00/000 -1/000 0/000/000 0/x001 data/000 0/000.p/"
    for (const path of bad.split(" ")) assert.isUndefined(parseTilePath(path), path)
  })

  it("of a log of 70,000 entries are those of the page", () => {
    assert.deepStrictEqual(tileAt(70_000, 0, 273), { level: 0, index: 273, width: 112 })
    assert.deepStrictEqual(tileAt(70_000, 1, 1), { level: 1, index: 1, width: 17 })
    assert.deepStrictEqual(tileAt(70_000, 2, 0), { level: 2, index: 0, width: 1 })
    assert.isUndefined(tileAt(70_000, 0, 274))
    assert.strictEqual(tilesOf(70_000).length, 274 + 2 + 1)
    assert.deepStrictEqual(tilesOf(0), [])
  })

  it("hold everything that proofs need", () => {
    const whole = treeOfSize(70_000)
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 70_000 }), fc.nat(), fc.nat(), (size, a, b) => {
        const tree = size % 7 === 0 ? whole : treeOfSize(1 + (size % 900))
        const nodes = tileNodes(tree.size, (tile) => tileBytes(tree, tile))
        const index = a % tree.size
        const first = b % (tree.size + 1)
        assert.deepStrictEqual(hex(inclusionFrom(nodes, tree.size, index)), hex(inclusionProof(tree, index)))
        assert.deepStrictEqual(
          hex(consistencyFrom(nodes, first, tree.size)),
          hex(consistencyProof(tree, first))
        )
        const top = tree.levels.length - 1
        assert.strictEqual(toHex(nodes(top, 0)), toHex(root(tree)))
      }),
      { numRuns: 60 }
    )
  })

  it("name what a proof needs before anything is fetched", () => {
    const tree = treeOfSize(600)
    const needed = tilesNeeded(600, (nodes) => consistencyFrom(nodes, 300, 600))
    const fetched = new Map(needed.map((tile) => [tilePath(tile), tileBytes(tree, tile)]))
    const nodes = tileNodes(600, (tile) => {
      const bytes = fetched.get(tilePath(tile))
      assert.isDefined(bytes)
      return bytes
    })
    assert.deepStrictEqual(hex(consistencyFrom(nodes, 300, 600)), hex(consistencyProof(tree, 300)))
    assert.isAtMost(needed.length, 4)
  })

  it("of the wrong length are refused", () => {
    const nodes = tileNodes(3, () => new Uint8Array(32))
    assert.throws(() => nodes(0, 0), /tile\/0\/000.p\/3 has 32 bytes/)
    assert.throws(() => tileBytes(treeOfSize(3), { level: 0, index: 0, width: 4 }), RangeError)
    assert.throws(() => treeNodes(treeOfSize(3))(0, 3), RangeError)
  })
})

describe("entry bundles", () => {
  it("give back their entries", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 10 }), (entries) => {
        assert.deepStrictEqual(parseEntryBundle(entryBundle(entries)), entries)
      })
    )
    assert.strictEqual(toHex(entryBundle([utf8("ab"), utf8("")])), "000261620000")
  })

  it("that are cut off or too long are refused", () => {
    const bundle = entryBundle([utf8("abc")])
    for (const end of [1, 2, 4]) assert.throws(() => parseEntryBundle(bundle.slice(0, end)), /cut off/)
    assert.throws(() => entryBundle([new Uint8Array(65_536)]), RangeError)
  })
})
