/** Proofs of the storage of Substrate chains: recorded ones, tries of both state versions, and what must be refused. */
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fromHex, Malformed, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { blobsOf } from "../../../core/proof/chain/blobs.ts"
import { bounds } from "../../../core/proof/chain/bounds.ts"
import { parseChainProof } from "../../../core/proof/chain/document.ts"
import { ScaleReader } from "../../../core/proof/chain/scale.ts"
import { blake2b256, valueAt } from "../../../core/proof/chain/substrateTrie.ts"
import { verifyChain } from "../../../core/proof/chain/verifyChain.ts"
import { inOrder, proofOf, proofOver, radix, readIn, subnets } from "../../support/chain/substrate.ts"

const recorded = JSON.parse(
  readFileSync(new URL("../../../fixtures/chain/timestamp.json", import.meta.url), "utf8")
)

/** What is said of a proof's state. */
const stateOf = (proof: object) => {
  const one = verifyChain(parseChainProof(canonical(proof))).find(({ name }) => name === "state")
  return one === undefined ? ["none"] : one.ok === true ? [true] : [one.ok, one.reason, one.detail]
}

/** A trie of one node, or of these. */
const forged = (nodes: ReadonlyArray<string>, key = "abcd", value: string | null = "0102") =>
  proofOver(blake2b256(fromHex(nodes[0] ?? "")), inOrder(nodes.map((node) => fromHex(node))), [
    { key, value }
  ])

describe("a recorded proof", () => {
  const { key, nodes, stateRoot, value } = recorded
  const proof = proofOver(fromHex(stateRoot), inOrder(nodes.map((node: string) => fromHex(node))), [
    { key, value }
  ])

  it("holds, and says the time of its block", () => {
    assert.deepStrictEqual(stateOf(proof), [true])
    assert.strictEqual(
      new ScaleReader(fromHex(value)).unsigned(8),
      BigInt(Date.parse("2021-01-22T09:49:06Z"))
    )
  })

  it("does not hold for another value, nor for none", () => {
    for (const other of ["51527f2977010000", null, ""])
      assert.deepStrictEqual(
        stateOf({ ...proof, claims: [{ ...proof.claims[0], value: other }] }).slice(0, 2),
        [false, "contradiction"]
      )
  })
})

describe("a state of 129 subnets", () => {
  const { keys, trie } = subnets(129)
  const proof = proofOf(trie, keys)

  it("holds with an empty list that is proved absent", () => {
    assert.deepStrictEqual(stateOf(proof), [true])
    assert.strictEqual(proof.claims.filter((claim) => Object(claim).value === null).length, 1)
  })

  it("does not hold without any one of its nodes, and says which is missing", () => {
    for (let at = 0; at < proof.nodes.length; at += 17)
      assert.deepStrictEqual(stateOf({ ...proof, nodes: proof.nodes.toSpliced(at, 1) }).slice(0, 2), [
        false,
        "missing"
      ])
  })

  it("does not hold with a node that is of no use, twice, or out of order", () => {
    const more = inOrder([...proof.nodes.map((node) => fromHex(node)), Uint8Array.of(1)])
    for (const nodes of [more, [...proof.nodes, proof.nodes.at(-1) ?? ""], proof.nodes.toReversed()])
      assert.deepStrictEqual(stateOf({ ...proof, nodes }).slice(0, 2), [false, "form"])
  })

  it("does not hold with any bit of a node changed", () => {
    fc.assert(
      fc.property(fc.nat(proof.nodes.length - 1), fc.nat(), (at, bit) => {
        const node = fromHex(proof.nodes[at] ?? "")
        const place = bit % (node.length * 8)
        node[place >> 3] = (node[place >> 3] ?? 0) ^ (1 << (place & 7))
        const nodes = inOrder([...proof.nodes.toSpliced(at, 1).map((one) => fromHex(one)), node])
        assert.notStrictEqual(stateOf({ ...proof, nodes })[0], true)
      }),
      { numRuns: 60 }
    )
  })

  it("does not hold with the values of two keys exchanged, or the hash of a list in its place", () => {
    const claims = proof.claims.map((claim) => ({ key: "", value: null, ...claim }))
    const [first, second, list] = [
      claims[10],
      claims[11],
      claims.find(({ value }) => String(value).length > 400)
    ]
    const replaced = (...changes: ReadonlyArray<readonly [unknown, unknown]>) => ({
      ...proof,
      claims: claims.map((one) => ({
        ...one,
        value: changes.find(([claim]) => claim === one)?.[1] ?? one.value
      }))
    })
    const hashed = toHex(blake2b256(fromHex(String(list?.value))))
    for (const other of [replaced([first, second?.value], [second, first?.value]), replaced([list, hashed])])
      assert.deepStrictEqual(stateOf(other).slice(0, 2), [false, "contradiction"])
  })
})

describe("tries of both state versions", () => {
  const entry = fc.tuple(
    fc.uint8Array({ minLength: 0, maxLength: 3 }).map((key) => toHex(key.map((byte) => byte & 0x13))),
    fc.uint8Array({ minLength: 0, maxLength: 40 })
  )

  it("give each value, and prove of each other key that there is none; and no node may be missing", () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 14 }),
        fc.constantFrom<0 | 1>(0, 1),
        fc.uint8Array({ minLength: 0, maxLength: 3 }),
        (list, version, other) => {
          const entries = new Map(list)
          const trie = radix(
            [...entries].map(([key, value]) => [fromHex(key), value] as const),
            version
          )
          for (const key of [...entries.keys(), toHex(other.map((byte) => byte & 0x13))]) {
            const { nodes, values } = readIn(trie, [fromHex(key)])
            const value = entries.get(key)
            assert.deepStrictEqual(
              values.map((one) => one && toHex(one)),
              [value && toHex(value)]
            )
            for (const one of nodes) {
              const without = blobsOf(
                "node",
                nodes.filter((node) => node !== one),
                blake2b256,
                bounds.nodes
              )
              assert.throws(() => valueAt(trie.root, fromHex(key), without), Malformed)
            }
          }
        }
      ),
      { numRuns: 120 }
    )
  })
})

describe("a trie of the forger's own, under his own header", () => {
  const small = "41000401"
  const hashOf = (node: string) => toHex(blake2b256(fromHex(node)))
  const tries: ReadonlyArray<readonly [string, ReadonlyArray<string>, string?, (string | null)?]> = [
    ["a path that is padded with 7", ["80030018437abc0801021041010401"], "0abc"],
    ["an unknown form of node", ["0144abcd080102"]],
    ["a compact proof's node", ["02abcd080102"]],
    ["bytes after a leaf", ["44abcd08010200"]],
    ["a leaf that is cut off", ["44abcd0801"]],
    ["a length that is not in its shortest form", ["44abcd09000102"]],
    ["a value that is longer than the node", ["44abcdfeffffff0102"]],
    ["a value of 2^62 bytes", ["44abcd13ffffffffffffff3f0102"]],
    ["a branch without a child", ["c4abcd0000080102"]],
    ["a branch with one child and no value", ["82ab001014410d080102"]],
    ["a reference of 33 bytes", [`c2ab010008010284${"00".repeat(33)}`]],
    ["an empty reference", ["c2ab010008010200"], "ab00"],
    ["a short value by its hash", [`24abcd${hashOf("0102")}`, "0102"]],
    ["a path of thousands of nibbles", [`7f${"ff".repeat(4000)}00`]],
    [
      "small nodes by their hash",
      [`c2ab003008010280${hashOf(small)}80${hashOf("41000402")}`, small],
      "abc0",
      "01"
    ],
    ["an empty root beside a node", ["00", "44abcd080102"], "abcd", null]
  ]
  it.each(tries.map(([name, ...trie]) => ({ name, trie })))("does not hold: $name", ({ trie }) => {
    assert.strictEqual(stateOf(forged(...trie))[0], false)
  })

  it("holds where it is well made: a block that he made up says what he likes, and only operators can say more", () => {
    assert.deepStrictEqual(stateOf(forged(["44abcd080102"])), [true])
    assert.deepStrictEqual(stateOf(forged(["80030018430abc0801021041010401"], "0abc")), [true])
    assert.deepStrictEqual(stateOf(forged(["00"], "abcd", null)), [true])
  })
})

describe("compact numbers", () => {
  it.each(["", "0100", "fd00", "02000000", "0300000000", "03ffffff00", "13000000000000000000", "37"])(
    "%s is refused",
    (bytes) => {
      assert.throws(() => new ScaleReader(fromHex(bytes)).compact(), Malformed)
    }
  )

  it("are read in each of their lengths", () => {
    for (const [bytes, value] of [
      ["00", 0n],
      ["fc", 63n],
      ["0101", 64n],
      ["fdff", 16383n],
      ["02000100", 16384n],
      ["0300000040", 1n << 30n],
      ["0700000000ff", 0xff00000000n]
    ] as const)
      assert.strictEqual(new ScaleReader(fromHex(bytes)).compact(), value)
  })
})

describe("a hostile proof", () => {
  it("is refused where reading it takes too many steps: nodes as deep as a key, read again for each claim", () => {
    const leaf = fromHex(`40f4${"00".repeat(61)}`)
    const nodes = [leaf]
    let root = blake2b256(leaf)
    for (let depth = 0; depth < bounds.key * 2; depth++) {
      const reference = `80${toHex(root)}`
      const branch = fromHex(`800300${reference}${reference}`)
      nodes.push(branch)
      root = blake2b256(branch)
    }
    const claims = Array.from({ length: 1000 }, (_, at) => ({
      key: at.toString(2).padStart(bounds.key * 2, "0"),
      value: "00".repeat(61)
    }))
    const of = (size: number) => proofOver(root, inOrder(nodes), claims.slice(0, size))
    assert.deepStrictEqual(stateOf(of(90)), [true])
    assert.deepStrictEqual(stateOf(of(1000)).slice(0, 2), [false, "form"])
  })

  it("is refused with a key that is longer than any chain's", () => {
    const proof = forged(["44abcd080102"], "ab".repeat(bounds.key + 1), null)
    assert.deepStrictEqual(stateOf(proof).slice(0, 2), [false, "form"])
  })
})
