/** Proofs of accounts and storage of EVM chains: recorded ones, tries of both kinds, and what must be refused. */
import { readFileSync } from "node:fs"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { concat, fromHex, Malformed, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { type Blobs, blobsOf } from "../../../core/proof/chain/blobs.ts"
import { bounds } from "../../../core/proof/chain/bounds.ts"
import { parseChainProof } from "../../../core/proof/chain/document.ts"
import { emptyCode } from "../../../core/proof/chain/evmState.ts"
import { emptyRoot, valueUnder } from "../../../core/proof/chain/evmTrie.ts"
import { readRlp } from "../../../core/proof/chain/rlp.ts"
import { verifyChain } from "../../../core/proof/chain/verifyChain.ts"
import {
  account,
  evmProof,
  evmProofOver,
  headerOfBlock,
  hexPrefix,
  type Item,
  nodesInOrder,
  patricia,
  rlp,
  unsigned,
  word
} from "../../support/chain/evm.ts"

interface Recorded {
  readonly block: Readonly<Record<string, string>>
  readonly proof: {
    readonly address: string
    readonly balance: string
    readonly codeHash: string
    readonly accountProof: ReadonlyArray<string>
    readonly storageProof: ReadonlyArray<{
      readonly key: string
      readonly value: string
      readonly proof: ReadonlyArray<string>
    }>
  }
}

const recorded = (name: string): Recorded =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/chain/${name}.json`, import.meta.url), "utf8"))

const plain = (hex: string): string => hex.slice(2)

/** What a node's answers prove: balance, code and the slot. */
const proofIn = ({ block, proof }: Recorded, chain: string) => {
  const nodes = [...proof.accountProof, ...proof.storageProof.flatMap((one) => one.proof)]
  const of = { account: plain(proof.address) }
  return evmProof(
    headerOfBlock(block),
    Number(block.number),
    nodes.map((node) => fromHex(plain(node))),
    [
      { kind: "evm-balance", ...of, value: BigInt(proof.balance).toString() },
      { kind: "evm-code-hash", ...of, value: plain(proof.codeHash) },
      ...proof.storageProof.map(({ key, value }) => ({
        kind: "evm-slot",
        ...of,
        slot: plain(key),
        value: BigInt(value).toString()
      }))
    ],
    chain
  )
}

const checksOf = (proof: object) => verifyChain(parseChainProof(canonical(proof)))

/** What is said of a proof's state. */
const stateOf = (proof: object) => {
  const one = checksOf(proof).find(({ name }) => name === "state")
  return one === undefined ? ["none"] : one.ok === true ? [true] : [one.ok, one.reason]
}

describe.each([
  ["mainnet-deposit", "eip155:1"],
  ["base-proxy", "eip155:8453"]
])("the recorded proof %s", (name, chain) => {
  const answers = recorded(name)
  const proof = proofIn(answers, chain)

  it("holds: the header has the block's hash, and the nodes lead to account and slot", () => {
    assert.strictEqual(proof.block.hash, plain(answers.block["hash"] ?? ""))
    assert.deepStrictEqual(
      checksOf(proof).map(({ ok }) => ok),
      [true, true, "not checked"]
    )
  })

  it("does not hold with another value, in whatever spelling, or another key", () => {
    const replaced = (at: number, change: object) => ({
      ...proof,
      claims: proof.claims
        .map((claim, place) => (place === at ? { ...claim, ...change } : claim))
        .toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
    })
    for (const at of proof.claims.keys()) {
      const { value } = Object(proof.claims[at])
      for (const other of ["", "0x0", `0${value}`, ` ${value}`, `${value}0`, "-1", null, 0, true])
        assert.strictEqual(stateOf(replaced(at, { value: other }))[0], false, `${at}: ${other}`)
      for (const change of [
        { account: `${"00".repeat(19)}01` },
        { account: plain(answers.proof.address).toUpperCase() },
        { account: answers.proof.address },
        { account: "" },
        { more: 1 }
      ])
        assert.strictEqual(stateOf(replaced(at, change))[0], false)
    }
    const slot = proof.claims.findIndex(({ kind }) => kind === "evm-slot")
    for (const other of ["01", "02".padStart(64, "0")])
      assert.strictEqual(stateOf(replaced(slot, { slot: other }))[0], false)
  })

  it("does not hold without any of its nodes, or with a bit of one changed", () => {
    for (const at of proof.nodes.keys()) {
      assert.deepStrictEqual(stateOf({ ...proof, nodes: proof.nodes.toSpliced(at, 1) }), [false, "missing"])
      const node = fromHex(proof.nodes[at] ?? "")
      node[node.length >> 1] = (node[node.length >> 1] ?? 0) ^ 4
      const nodes = [...proof.nodes.toSpliced(at, 1).map((one) => fromHex(one)), node]
      assert.strictEqual(stateOf({ ...proof, nodes: nodesInOrder(nodes) })[0], false)
    }
  })

  it("falls at its header with any bit of it changed, a byte more or less", () => {
    const { header } = proof.block
    for (const other of [
      header.slice(0, -2),
      `${header}00`,
      `${header.slice(0, 200)}${header[200] === "0" ? "1" : "0"}${header.slice(201)}`
    ])
      assert.strictEqual(checksOf({ ...proof, block: { ...proof.block, header: other } })[0]?.ok, false)
  })

  it("is as well of any other chain by its state alone: nothing in it names one", () => {
    assert.deepStrictEqual(stateOf({ ...proof, chain: "eip155:10" }), [true])
    assert.strictEqual(checksOf({ ...proof, chain: "eip155:01" })[0]?.ok, false)
    assert.strictEqual(
      checksOf({ ...proof, chain: "polkadot:91b171bb158e2d3848fa23a9f1c25182" })[0]?.ok,
      false
    )
  })
})

const recording = (nodes: ReadonlyMap<string, Uint8Array>) => {
  const used: Array<Uint8Array> = []
  const blobs: Blobs = {
    get: (hash) => {
      const node = nodes.get(toHex(hash))
      if (node === undefined) throw new Error(`no node ${toHex(hash)}`)
      used.push(node)
      return node
    },
    demandAllUsed: () => undefined
  }
  return { blobs, used }
}

describe("a block of a chain whose authorities make blocks in turn, as a node of Fuse told one", () => {
  const { block } = recorded("fuse-block")

  it("has its hash with step and signature in the place of mix hash and nonce", () => {
    assert.strictEqual(toHex(keccak_256(headerOfBlock(block))), plain(block["hash"] ?? ""))
    const inHex = { ...block, step: "0x137415ec", signature: `0x${block["signature"]}` }
    assert.deepStrictEqual(headerOfBlock(inHex), headerOfBlock(block))
  })

  it("has not with another step, or with both seals", () => {
    for (const change of [
      { step: "326374893" },
      { step: "-1" },
      { mixHash: `0x${"00".repeat(32)}`, nonce: "0x00" }
    ])
      assert.throws(() => headerOfBlock({ ...block, ...change }), Malformed)
  })
})

describe("tries", () => {
  it("give each value, and prove of each other key that there is none; and no node may be missing", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(80), { maxLength: 40 }),
        fc.nat(80),
        fc.integer({ min: 1, max: 60 }),
        (keys, other, size) => {
          const entries = keys.map(
            (key) => [word(BigInt(key)), rlp(new Uint8Array(size).fill(key + 1))] as const
          )
          const trie = patricia(entries)
          for (const key of [...keys.slice(0, 5), other]) {
            const { blobs, used } = recording(trie.nodes)
            const value = valueUnder(trie.root, word(BigInt(key)), blobs)
            const expected = entries[keys.indexOf(key)]?.[1]
            assert.strictEqual(value && toHex(value), expected && toHex(expected))
            for (const one of used) {
              const without = blobsOf(
                "node",
                nodesInOrder(used.filter((node) => node !== one)),
                keccak_256,
                bounds.nodes
              )
              assert.throws(() => valueUnder(trie.root, word(BigInt(key)), without), Malformed)
            }
          }
        }
      ),
      { numRuns: 100 }
    )
  })

  it("prove of an account that it does not exist, so that it has nothing, and of a slot that it is 0", () => {
    const token = "aa".repeat(20)
    const nobody = "bb".repeat(20)
    const storage = patricia([
      [word(2n), rlp(unsigned(5n))],
      [word(3n), rlp(unsigned(6n))]
    ])
    const state = patricia([
      [fromHex(token), account(storage.root, emptyCode)],
      ...Array.from(
        { length: 40 },
        (_, at) => [word(BigInt(at)).slice(12), account(emptyRoot, emptyCode)] as const
      )
    ])
    const { blobs, used } = recording(new Map([...state.nodes, ...storage.nodes]))
    valueUnder(state.root, fromHex(token), blobs)
    valueUnder(state.root, fromHex(nobody), blobs)
    for (const slot of [2n, 9n]) valueUnder(storage.root, word(slot), blobs)
    const claims = [
      { kind: "evm-slot", account: token, slot: toHex(word(2n)), value: "5" },
      { kind: "evm-slot", account: token, slot: toHex(word(9n)), value: "0" },
      { kind: "evm-slot", account: nobody, slot: toHex(word(9n)), value: "0" },
      { kind: "evm-balance", account: nobody, value: "0" },
      { kind: "evm-code-hash", account: nobody, value: toHex(emptyCode) }
    ]
    assert.deepStrictEqual(stateOf(evmProofOver(state.root, used, claims)), [true])
    const wrong = claims.map((claim) => (claim.value === "0" ? { ...claim, value: "1" } : claim))
    assert.deepStrictEqual(stateOf(evmProofOver(state.root, used, wrong)), [false, "contradiction"])
  })
})

const target = "aa".repeat(20)
const way = [...keccak_256(fromHex(target))].flatMap((byte) => [byte >> 4, byte & 15])
const [n0 = 0, n1 = 0, n2 = 0] = way
const rich = rlp([unsigned(1n), unsigned(10n ** 24n), emptyRoot, emptyCode])
const none = new Uint8Array()
const stray = new Uint8Array(32).fill(7)
const branch = (children: Readonly<Record<number, Item>>, value: Item = none): ReadonlyArray<Item> => [
  ...Array.from({ length: 16 }, (_, at) => children[at] ?? none),
  value
]
const hashOf = (item: Item): Uint8Array => keccak_256(rlp(item))
const beside = (nibble: number) => (nibble + 1) % 16
const leaf: Item = [hexPrefix(way.slice(1), true), rich]
const deepLeaf: Item = [hexPrefix(way.slice(3), true), rich]
const low = branch({ [n2]: hashOf(deepLeaf), [beside(n2)]: stray })
const second: Item = [hexPrefix([n1], false), hashOf(low)]
const whole = (item: Item): ReadonlyArray<Item> => [item]

describe("a trie of the forger's own, under his own header", () => {
  const claim = { kind: "evm-balance", account: target, value: (10n ** 24n).toString() }
  const of = (items: ReadonlyArray<Item>, claims: ReadonlyArray<typeof claim> = [claim]) =>
    evmProofOver(hashOf(items[0] ?? none), items.map(rlp), claims)

  it("holds where it is well made", () => {
    assert.deepStrictEqual(stateOf(of([[hexPrefix(way, true), rich]])), [true])
    assert.deepStrictEqual(stateOf(of([branch({ [n0]: hashOf(leaf), [beside(n0)]: stray }), leaf])), [true])
    const extension: Item = [hexPrefix([n0, n1], false), hashOf(low)]
    assert.deepStrictEqual(stateOf(of([extension, low, deepLeaf])), [true])
  })

  const tries: Readonly<Record<string, ReadonlyArray<Item>>> = {
    "a leaf above the end of the key": whole([hexPrefix(way.slice(0, 10), true), rich]),
    "a leaf beyond the end of the key": whole([hexPrefix([...way, 1], true), rich]),
    "a path that is padded with 7": whole([hexPrefix(way, true, 7), rich]),
    "an unknown flag": whole([concat(Uint8Array.of(0x40), keccak_256(fromHex(target))), rich]),
    "a value in a branch": [branch({ [n0]: hashOf(leaf), [beside(n0)]: stray }, rich), leaf],
    "a branch with one child": [branch({ [n0]: hashOf(leaf) }), leaf],
    "an extension of nothing": [
      [hexPrefix([], false), hashOf(branch({ [n0]: hashOf(leaf), [beside(n0)]: stray }))],
      branch({ [n0]: hashOf(leaf), [beside(n0)]: stray }),
      leaf
    ],
    "an extension to a leaf": [[hexPrefix([n0], false), hashOf(leaf)], leaf],
    "an extension to nothing": [[hexPrefix([n0], false), none]],
    "an extension after an extension": [[hexPrefix([n0], false), hashOf(second)], second, low, deepLeaf],
    "a large node that is embedded": [branch({ [n0]: leaf, [beside(n0)]: stray })],
    "a reference of 31 bytes": [branch({ [n0]: hashOf(leaf).slice(1), [beside(n0)]: stray }), leaf],
    "a reference of 33 bytes": [
      branch({ [n0]: concat(hashOf(leaf), Uint8Array.of(0)), [beside(n0)]: stray }),
      leaf
    ],
    "a node of three items": whole([hexPrefix(way, true), rich, none]),
    "a node of 16 items": [branch({ [n0]: hashOf(leaf), [beside(n0)]: stray }).slice(0, 16), leaf],
    "a node of 18 items": [[...branch({ [n0]: hashOf(leaf), [beside(n0)]: stray }), none], leaf],
    "a node that is no list": whole(rich),
    "a value that is a list": whole([hexPrefix(way, true), [unsigned(1n)]]),
    "a path that is a list": whole([[hexPrefix(way, true)], rich]),
    "a leaf without a value": whole([hexPrefix(way, true), none]),
    "a leaf without a path": whole([none, rich]),
    "an account of three members": whole([
      hexPrefix(way, true),
      rlp([unsigned(1n), unsigned(10n ** 24n), emptyRoot])
    ]),
    "an account of five members": whole([
      hexPrefix(way, true),
      rlp([unsigned(1n), unsigned(10n ** 24n), emptyRoot, emptyCode, none])
    ]),
    "a balance with a leading zero": whole([
      hexPrefix(way, true),
      rlp([unsigned(1n), concat(Uint8Array.of(0), unsigned(10n ** 24n)), emptyRoot, emptyCode])
    ]),
    "a storage root of 31 bytes": whole([
      hexPrefix(way, true),
      rlp([unsigned(1n), unsigned(10n ** 24n), emptyRoot.slice(1), emptyCode])
    ]),
    "an account with bytes after it": whole([hexPrefix(way, true), concat(rich, Uint8Array.of(0x80))]),
    "an extension that is longer than the key": [[hexPrefix([...way, 1], false), hashOf(low)], low, deepLeaf]
  }
  it.each(Object.entries(tries))("does not hold: %s", (_, items) => {
    assert.deepStrictEqual(stateOf(of(items)), [false, "form"])
  })

  it.each<readonly [string, ReadonlyArray<Item>]>([
    [
      "a leaf that is too large",
      [[hexPrefix([beside(n0), ...way.slice(1)], true), new Uint8Array(2000).fill(1)]]
    ],
    ["an extension that is longer than the key", [[hexPrefix([beside(n0), ...way], false), stray]]],
    ["a leaf of another length", [[hexPrefix([beside(n0)], true), rich]]]
  ])("proves no absence by %s", (_, items) => {
    assert.deepStrictEqual(stateOf(of(items, [{ ...claim, value: "0" }])), [false, "form"])
  })

  it("does not hold with a small node by its hash", () => {
    const slot = word(0n)
    const path = [...keccak_256(slot)].flatMap((byte) => [byte >> 4, byte & 15])
    const [last = 0] = path.slice(61)
    const small: Item = [hexPrefix(path.slice(62), true), Uint8Array.of(5)]
    const storageOf = (child: Item) => {
      const fork = branch({ [last]: child, [beside(last)]: stray })
      const root: Item = [hexPrefix(path.slice(0, 61), false), hashOf(fork)]
      const state = patricia([[fromHex(target), account(hashOf(root), emptyCode)]])
      return [...state.nodes.values(), ...[root, fork].map(rlp)]
    }
    const slotClaim = { kind: "evm-slot", account: target, slot: toHex(slot), value: "5" }
    const under = (nodes: ReadonlyArray<Uint8Array>) =>
      stateOf(evmProofOver(keccak_256(nodes[0] ?? none), nodes, [slotClaim]))
    assert.deepStrictEqual(under(storageOf(small)), [true])
    assert.deepStrictEqual(under([...storageOf(hashOf(small)), rlp(small)]), [false, "form"])
  })

  it("does not hold with the root of a trie without entries, and a balance", () => {
    const proof = evmProofOver(emptyRoot, [], [claim])
    assert.deepStrictEqual(stateOf(proof), [false, "contradiction"])
  })

  it.each<readonly [string, string, string]>([
    ["a zero", "80", "0"],
    ["a byte of zero", "00", "0"],
    ["a word with a leading zero", "820005", "5"],
    ["a word of 33 bytes", `a1${"05".repeat(33)}`, BigInt(`0x${"05".repeat(33)}`).toString()],
    ["a list", "c105", "5"],
    ["bytes after it", "0505", "5"]
  ])("does not hold with a slot that has %s", (_, stored, value) => {
    const storage = patricia([[word(0n), fromHex(stored)]])
    const state = patricia([[fromHex(target), account(storage.root, emptyCode)]])
    const proof = evmProofOver(
      state.root,
      [...state.nodes.values(), ...storage.nodes.values()],
      [{ kind: "evm-slot", account: target, slot: "00".repeat(32), value }]
    )
    assert.deepStrictEqual(stateOf(proof), [false, "form"])
  })
})

describe("recursive length prefix", () => {
  it.each([
    "",
    "8100",
    "817f",
    "b800",
    "b837".padEnd(114, "0"),
    "b90001",
    "c180ff",
    "c281",
    "bfffffffffffffffff",
    "c8".repeat(20),
    `${"c1".repeat(9)}c0`
  ])("%s is refused", (bytes) => {
    assert.throws(() => readRlp(fromHex(bytes)), Malformed)
  })

  it("reads what was written", () => {
    const item = fc.letrec<{ item: Item }>((tie) => ({
      item: fc.oneof(
        { maxDepth: 3 },
        fc.uint8Array({ maxLength: 70 }),
        fc.array(tie("item"), { maxLength: 5 })
      )
    })).item
    const same = (one: unknown): unknown =>
      one instanceof Uint8Array
        ? toHex(one)
        : Array.isArray(one)
          ? one.map(same)
          : Object(one).items.map(same)
    fc.assert(fc.property(item, (one) => assert.deepStrictEqual(same(readRlp(rlp(one))), same(one))))
  })
})
