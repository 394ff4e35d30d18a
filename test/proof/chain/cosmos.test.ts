/** Proofs of stores and validators of Cosmos chains: the vectors of ICS 23, recorded ones, stores that are built here, and forgeries. */
import { readFileSync } from "node:fs"
import { sha256 } from "@noble/hashes/sha2.js"
import { assert, describe, it } from "vitest"
import { concat, fromBase64, fromHex, Malformed, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { parseChainProof } from "../../../core/proof/chain/document.ts"
import { readCommitment, type Store, valueIn } from "../../../core/proof/chain/ics23.ts"
import { verifyChain } from "../../../core/proof/chain/verifyChain.ts"
import {
  cosmosProof,
  existence,
  iavlTree,
  innerOp,
  leafOp,
  membersOf,
  message,
  multistore,
  number,
  validatorOf,
  varint
} from "../../support/chain/cosmos.ts"

const recorded = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/chain/${name}.json`, import.meta.url), "utf8"))

const checksOf = (proof: object) => verifyChain(parseChainProof(canonical(proof)))
const stateOf = (proof: object) => {
  const one = checksOf(proof).find(({ name }) => name === "state")
  return one === undefined ? ["none"] : one.ok === true ? [true] : [one.ok, one.reason]
}

describe("the vectors of ICS 23", () => {
  const vectors: Readonly<Record<string, Readonly<Record<"key" | "proof" | "root" | "value", string>>>> =
    recorded("ics23").vectors
  it.each(Object.entries(vectors))("%s", (name, { key, proof, root, value }) => {
    const store: Store = name.startsWith("iavl") ? "iavl" : "multistore"
    const read = (bytes: Uint8Array) => valueIn(store, fromHex(root), fromHex(key), readCommitment(bytes))
    assert.strictEqual(toHex(read(fromHex(proof)) ?? new Uint8Array()), value)
    for (let at = 0; at < proof.length / 2; at += 7) {
      const changed = fromHex(proof)
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
      assert.throws(() => {
        if (toHex(read(changed) ?? new Uint8Array()) !== value) throw new Malformed("another value")
      }, Malformed)
    }
  })
})

describe("recorded answers", () => {
  it("lead from a value of AtomOne through its store to an app hash, and not to that of the header of the same height", () => {
    const { appHash, key, ops, store, value } = recorded("atomone-gov-params")
    const { header } = recorded("nyx")
    const proof = ops.map(({ data }: { readonly data: string }) => toHex(fromBase64(data)))
    const under = (hash: string, change: object = {}) =>
      stateOf(
        cosmosProof(
          membersOf({ ...header, chain_id: "atomone-1", app_hash: hash }),
          "atomone-1",
          Number(header.height),
          [{ kind: "cosmos-store", store, key, proof, value: toHex(fromBase64(value)), ...change }]
        )
      )
    const root = "3a8f782b55f38c711ca24e202add498abde00a2527e760cdb5a2ad2e59caf562"
    assert.deepStrictEqual(under(root), [true])
    assert.deepStrictEqual(under(appHash), [false, "hash"])
    for (const change of [
      { store: "bank" },
      { key: "31" },
      { value: null },
      { proof: proof.toReversed() },
      { proof: [proof[0]] },
      { proof: [...proof, proof[1]] }
    ])
      assert.strictEqual(under(root, change)[0], false)
  })

  const { hash, header, validators } = recorded("nyx")
  const claim = { kind: "cosmos-validators", validators: validators.map(validatorOf), value: "16" }
  const nyx = cosmosProof(membersOf(header), "nyx", Number(header.height), [claim])

  it("give the hash of a header of nyx, and the 16 validators that it commits to", () => {
    assert.strictEqual(nyx.block.hash, hash)
    assert.deepStrictEqual(
      checksOf(nyx).map(({ ok }) => ok),
      [true, true, "not checked"]
    )
  })

  it("are of no other chain: this header names its own", () => {
    const [block] = checksOf({ ...nyx, chain: "cosmos:nyy" })
    assert.deepStrictEqual([block?.ok, Object(block).reason], [false, "origin"])
  })

  it.each<readonly [string, ReadonlyArray<string>, string]>([
    ["one fewer", claim.validators.slice(1), "15"],
    ["one twice", [...claim.validators, claim.validators[0]], "17"],
    ["in another order", claim.validators.toReversed(), "16"],
    ["another power", [claim.validators[0].slice(0, -2), ...claim.validators.slice(1)], "16"],
    ["the two halves of their tree", ["00".repeat(32), "11".repeat(32)], "2"],
    ["none", [], "0"],
    ["another number", claim.validators, "17"]
  ])("do not hold with %s", (_, list, value) => {
    assert.strictEqual(stateOf({ ...nyx, claims: [{ ...claim, validators: list, value }] })[0], false)
  })

  it.each<readonly [string, (members: Array<Uint8Array>) => void]>([
    ["a member fewer", (members) => void members.pop()],
    ["a member more", (members) => void members.push(new Uint8Array())],
    ["an app hash of 31 bytes", (members) => void members.splice(10, 1, message(1, new Uint8Array(31)))],
    ["a chain that is no text", (members) => void members.splice(1, 1, message(1, Uint8Array.of(255)))],
    ["a height that is no number", (members) => void members.splice(2, 1, message(1, Uint8Array.of(1)))]
  ])("do not hold with a header of %s", (_, change) => {
    const members = [...membersOf(header)]
    change(members)
    const [block] = checksOf(cosmosProof(members, "nyx", Number(header.height), [claim]))
    assert.deepStrictEqual([block?.ok, Object(block).reason], [false, "form"])
  })
})

const pool = sha256(utf8("bonded_tokens_pool")).subarray(0, 20)
const keyFor = (address: Uint8Array) => concat(Uint8Array.of(2, address.length), address, utf8("unym"))
const amount = utf8("25834598123456")
const entries = [
  [keyFor(pool), amount] as const,
  ...Array.from(
    { length: 39 },
    (_, index) => [keyFor(sha256(Uint8Array.of(index)).subarray(0, 20)), utf8(`${index + 1}`)] as const
  )
].sort(([a], [b]) => (toHex(a) < toHex(b) ? -1 : 1))
const bank = iavlTree(entries)
const multi = multistore(
  [
    ["acc", sha256(Uint8Array.of(1))],
    ["bank", bank.root],
    ["gov", sha256(Uint8Array.of(2))],
    ["staking", sha256(Uint8Array.of(3))],
    ["wasm", sha256(Uint8Array.of(4))]
  ],
  1
)
const at = entries.findIndex(([key]) => toHex(key) === toHex(keyFor(pool)))
const poolKey = keyFor(pool)
const good = {
  kind: "cosmos-store",
  store: "bank",
  key: toHex(poolKey),
  proof: [toHex(bank.exists(at)), toHex(multi.proof)],
  value: toHex(amount) as string | null
}
const poolProof = (change: object = {}) => {
  const { header } = recorded("nyx")
  return cosmosProof(
    membersOf({ ...header, chain_id: "pool-1", app_hash: toHex(multi.root) }),
    "pool-1",
    Number(header.height),
    [{ ...good, ...change }]
  )
}
const withProof = (proof: Uint8Array, more: object = {}) =>
  poolProof({ proof: [toHex(proof), good.proof[1]], ...more })
const before = at === 0 ? undefined : at - 1
const after = at === entries.length - 1 ? undefined : at + 1

describe("a store of 40 balances in a multistore of five", () => {
  it("proves the balance of a pool, and that an address has none", () => {
    assert.deepStrictEqual(stateOf(poolProof()), [true])
    const nobody = keyFor(new Uint8Array(20).fill(0x77))
    const next = entries.findIndex(([key]) => toHex(key) > toHex(nobody))
    const absent = bank.absent(
      nobody,
      next === 0 ? undefined : (next === -1 ? entries.length : next) - 1,
      next === -1 ? undefined : next
    )
    assert.deepStrictEqual(stateOf(withProof(absent, { key: toHex(nobody), value: null })), [true])
    assert.deepStrictEqual(stateOf(withProof(absent, { key: toHex(nobody), value: "30" })), [
      false,
      "contradiction"
    ])
  })

  it("proves every gap by its neighbours, and none by any others", () => {
    const tree = iavlTree(
      Array.from(
        { length: 20 },
        (_, index) => [Uint8Array.of(index * 2 + 1), sha256(Uint8Array.of(index))] as const
      )
    )
    const absent = (key: Uint8Array, left: number | undefined, right: number | undefined) =>
      valueIn("iavl", tree.root, key, readCommitment(tree.absent(key, left, right)))
    for (let left = -1; left < 20; left++)
      for (let right = left + 1; right <= 20; right++) {
        const key = Uint8Array.of((left + 1) * 2, ...(right > left + 1 ? [1] : []))
        const look = () => absent(key, left === -1 ? undefined : left, right === 20 ? undefined : right)
        if (left === -1 && right === 20) continue
        if (right === left + 1) assert.isUndefined(look())
        else assert.throws(look, Malformed)
      }
  })

  it.each<readonly [string, () => object]>([
    ["the two proofs exchanged", () => poolProof({ proof: good.proof.toReversed() })],
    ["one proof twice", () => poolProof({ proof: [good.proof[0], good.proof[0]] })],
    ["another key's proof", () => withProof(bank.exists(at === 0 ? 1 : at - 1))],
    ["another store's name", () => poolProof({ store: "gov" })],
    [
      "absent by its neighbours but one",
      () => withProof(bank.absent(poolKey, before, after), { value: null })
    ],
    [
      "absent left of the first",
      () => withProof(bank.absent(poolKey, undefined, after ?? at), { value: null })
    ],
    [
      "absent right of the last",
      () => withProof(bank.absent(poolKey, before ?? at, undefined), { value: null })
    ],
    [
      "absent by its neighbours exchanged",
      () => withProof(bank.absent(poolKey, after, before), { value: null })
    ],
    ["absent by itself", () => withProof(bank.absent(poolKey, at, after), { value: null })],
    ["absent by itself on the right", () => withProof(bank.absent(poolKey, before, at), { value: null })],
    ["absent without a neighbour", () => withProof(message(2, message(1, poolKey)), { value: null })],
    [
      "another key's absence",
      () => withProof(bank.absent(keyFor(new Uint8Array(20)), undefined, 0), { value: null })
    ],
    ["a batch", () => withProof(message(3, bank.exists(at)))],
    ["both in one", () => withProof(concat(bank.exists(at), bank.absent(poolKey, before, after)))],
    ["a field more", () => withProof(concat(bank.exists(at), message(9, new Uint8Array())))],
    ["a byte more", () => withProof(concat(bank.exists(at), Uint8Array.of(0)))],
    ["a byte less", () => withProof(bank.exists(at).slice(0, -1))]
  ])("does not hold: %s", (_, forge) => {
    assert.strictEqual(stateOf(forge())[0], false)
  })

  it("does not hold with a bit of a proof changed", () => {
    for (const [place, text] of good.proof.entries())
      for (let byte = 0; byte < text.length / 2; byte += 5) {
        const changed = fromHex(text)
        changed[byte] = (changed[byte] ?? 0) ^ (1 << (byte % 8))
        const proof = good.proof.map((one, index) => (index === place ? toHex(changed) : one))
        assert.strictEqual(stateOf(poolProof({ proof }))[0], false, `${place} ${byte}`)
      }
  })
})

describe("a store of the forger's own", () => {
  const key = utf8("key")
  const stray = new Uint8Array(32).fill(7)
  const length = Uint8Array.of(32)
  const leafPrefix = fromHex("000204")
  const left = (prefix: string) => innerOp(concat(fromHex(prefix), length), concat(length, stray))
  /** The root that a proof leads to, whatever it says: hashes alone would accept it. */
  const rootOf = (
    prefix: Uint8Array,
    steps: ReadonlyArray<readonly [prefix: Uint8Array, suffix: Uint8Array]>
  ) =>
    steps.reduce(
      (hash, [one, other]) => sha256(concat(one, hash, other)),
      sha256(concat(prefix, varint(3n), key, varint(32n), sha256(amount)))
    )
  const look =
    (prefix: Uint8Array, steps: ReadonlyArray<readonly [Uint8Array, Uint8Array]> = []) =>
    () =>
      valueIn(
        "iavl",
        rootOf(prefix, steps),
        key,
        readCommitment(
          message(
            1,
            existence(
              key,
              amount,
              leafOp(prefix),
              steps.map(([one, other]) => innerOp(one, other))
            )
          )
        )
      )

  it("holds where it is made as IAVL makes it", () => {
    assert.deepStrictEqual(look(leafPrefix)(), amount)
    assert.deepStrictEqual(
      look(leafPrefix, [[concat(fromHex("020404"), length), concat(length, stray)]])(),
      amount
    )
  })

  it.each<readonly [string, () => unknown]>([
    ["a leaf with the prefix of an inner node", look(fromHex("020404"))],
    ["a leaf with bytes after its prefix", look(fromHex("00020400"))],
    ["a leaf of size 2", look(fromHex("000404"))],
    ["a leaf without a prefix", look(new Uint8Array())],
    [
      "an inner node with the prefix of a leaf",
      look(leafPrefix, [[concat(leafPrefix, length), concat(length, stray)]])
    ],
    [
      "an inner node with more bytes",
      look(leafPrefix, [[fromHex("0204040000000020"), concat(length, stray)]])
    ],
    ["an inner node of an odd height", look(leafPrefix, [[fromHex("03040420"), concat(length, stray)]])],
    ["another length before the child", look(leafPrefix, [[fromHex("0204041f"), concat(length, stray)]])],
    [
      "another length before the right child",
      look(leafPrefix, [[concat(fromHex("020404"), length, stray, Uint8Array.of(31)), new Uint8Array()]])
    ],
    ["a suffix of 32 bytes", look(leafPrefix, [[fromHex("02040420"), stray]])],
    ["a suffix of 66 bytes", look(leafPrefix, [[fromHex("02040420"), concat(length, stray, length, stray)]])],
    [
      "a sibling of another length",
      look(leafPrefix, [[fromHex("02040420"), concat(Uint8Array.of(31), stray)]])
    ],
    [
      "a right child without the length of its sibling",
      look(leafPrefix, [[concat(fromHex("020404"), Uint8Array.of(31), stray, length), new Uint8Array()]])
    ]
  ])("does not hold: %s", (_, work) => {
    assert.throws(work, Malformed)
  })

  const read =
    (leaf: Uint8Array, ...path: ReadonlyArray<Uint8Array>) =>
    () =>
      readCommitment(message(1, existence(key, amount, leaf, path)))
  it.each<readonly [string, () => unknown]>([
    [
      "a leaf that does not hash its value",
      read(concat(number(1, 1n), number(4, 1n), message(5, leafPrefix)))
    ],
    [
      "a leaf by another hash",
      read(concat(number(1, 2n), number(3, 1n), number(4, 1n), message(5, leafPrefix)))
    ],
    ["200 inner nodes", read(leafOp(leafPrefix), ...Array.from({ length: 200 }, () => left("020404")))],
    ["no key", () => readCommitment(message(1, existence(new Uint8Array(), amount, leafOp(leafPrefix), [])))],
    ["no value", () => readCommitment(message(1, existence(key, new Uint8Array(), leafOp(leafPrefix), [])))],
    ["a length of 2^63", () => readCommitment(concat(Uint8Array.of(0x0a), varint(1n << 63n)))],
    ["a number of eleven bytes", () => readCommitment(fromHex(`08${"80".repeat(11)}01`))],
    ["nothing", () => readCommitment(new Uint8Array())]
  ])("is not read: %s", (_, work) => {
    assert.throws(work, Malformed)
  })
})
