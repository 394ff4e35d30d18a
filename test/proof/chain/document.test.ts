/** The document of a chain's proof: one form, and the two sentences that are said of it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { fromHex, Malformed, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { parseChainProof } from "../../../core/proof/chain/document.ts"
import { blake2b256 } from "../../../core/proof/chain/substrateTrie.ts"
import { verifyChain } from "../../../core/proof/chain/verifyChain.ts"
import { chainVerdict } from "../../../core/proof/chain/verifyProof.ts"
import { main } from "../../../http/client/verifier/src/cli.ts"
import { headerOver, inOrder, polkadot, proofOf, proofOver, subnets } from "../../support/chain/substrate.ts"

const { keys, trie } = subnets(3, 50)
const proof = proofOf(trie, keys)
const { hash } = proof.block

const outcomeOf = (document: object, looks?: ReadonlyArray<readonly [string, string]>) => {
  const checks = verifyChain(
    parseChainProof(canonical(document)),
    looks && { looks: looks.map(([operator, one]) => ({ operator, hash: one })), least: 2 }
  )
  return {
    checks: checks.map(({ name, ok }) => `${name}: ${ok}`),
    reasons: checks.flatMap((one) => (one.ok === true ? [] : [one.reason])),
    verdict: chainVerdict(checks)
  }
}

const other = "0".repeat(64)

describe("what is said of a proof that holds", () => {
  it("is the state alone, where nobody was asked for the block", () => {
    assert.deepStrictEqual(outcomeOf(proof), {
      checks: ["block: true", "state: true", "canonical: not checked"],
      reasons: ["unasked"],
      verdict: "state proved; nobody was asked whether the block is one of the chain"
    })
  })

  it("is that the block is the chain's as two operators say, and never by one, nor by one that is named twice", () => {
    assert.strictEqual(
      outcomeOf(proof, [
        ["a", hash],
        ["b", hash]
      ]).verdict,
      "state proved, block as the operators say"
    )
    for (const looks of [
      [["a", hash]],
      [
        ["a", hash],
        ["a", hash]
      ]
    ] as const)
      assert.deepStrictEqual(outcomeOf(proof, looks), {
        checks: ["block: true", "state: true", "canonical: not proved"],
        reasons: ["missing"],
        verdict: "state proved; that the block is one of the chain is not proved"
      })
  })

  it("is refuted by any operator that has another block", () => {
    assert.deepStrictEqual(
      outcomeOf(proof, [
        ["a", hash],
        ["b", hash],
        ["c", other]
      ]),
      {
        checks: ["block: true", "state: true", "canonical: false"],
        reasons: ["contradiction"],
        verdict: "does not hold"
      }
    )
    assert.strictEqual(outcomeOf(proof, [["a", other]]).verdict, "does not hold")
  })
})

describe("a block that is another", () => {
  it("falls at the operators alone, where the forger made its header, or renamed the chain", () => {
    const own = proofOver(trie.root, proof.nodes, proof.claims as never, 4322)
    for (const forged of [own, { ...proof, chain: "polkadot:2f0555cc76fc2840a25a6ea3b9637146" }]) {
      assert.strictEqual(outcomeOf(forged).checks[1], "state: true")
      assert.match(outcomeOf(forged).verdict, /nobody was asked/)
      assert.strictEqual(
        outcomeOf(forged, [
          ["a", other],
          ["b", other]
        ]).verdict,
        "does not hold"
      )
    }
  })

  it.each<readonly [string, object, string]>([
    ["another hash", { ...proof.block, hash: other }, "hash"],
    ["another number", { ...proof.block, number: 4320 }, "contradiction"],
    ["a bit of the header", { ...proof.block, header: proof.block.header.replace(/^07/, "06") }, "hash"],
    ["a header that is cut off", { ...proof.block, header: proof.block.header.slice(0, 100) }, "form"],
    ["a header without a digest", { ...proof.block, header: proof.block.header.slice(0, -2) }, "form"],
    ["a header in capitals", { ...proof.block, header: proof.block.header.toUpperCase() }, "form"]
  ])("does not hold with %s, and nothing is said of its state", (_, block, reason) => {
    const { checks, reasons } = outcomeOf({ ...proof, block })
    assert.deepStrictEqual(checks, ["block: false", "state: not proved", "canonical: not proved"])
    assert.strictEqual(reasons[0], reason)
  })

  it("with another state root has another state", () => {
    const header = headerOver(blake2b256(new Uint8Array()))
    const block = { number: 4321, hash: toHex(blake2b256(header)), header: toHex(header) }
    assert.deepStrictEqual(outcomeOf({ ...proof, block }).reasons, ["missing", "unasked"])
  })
})

describe("what this verifier does not know", () => {
  it("is not proved: a namespace of chains", () => {
    assert.deepStrictEqual(
      outcomeOf({ ...proof, chain: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" }).reasons,
      ["newer", "unavailable", "unavailable"]
    )
  })

  it("is not proved: a kind of claim; and what is known beside it is held to the state", () => {
    const strange = { kind: "substrate-future", what: 1 }
    const claims = [...proof.claims, strange].toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
    assert.deepStrictEqual(outcomeOf({ ...proof, claims }).reasons, ["newer", "unasked"])
    const wrong = claims.map((claim) => (claim === proof.claims[0] ? { ...claim, value: "00" } : claim))
    assert.deepStrictEqual(outcomeOf({ ...proof, claims: wrong }).reasons, ["contradiction", "unasked"])
  })

  it("is not proved: a later version", () => {
    assert.throws(
      () => parseChainProof(canonical({ ...proof, v: "service-chain-proof-v2" })),
      /made by a newer release/
    )
  })
})

describe("a proof has one form", () => {
  const text = canonical(proof)
  it.each<readonly [string, string]>([
    ["white space", text.replace(",", ", ")],
    ["a line end", `${text}\n`],
    ["a member that is not named", canonical({ ...proof, more: 1 })],
    ["a block with a member that is not named", canonical({ ...proof, block: { ...proof.block, time: 1 } })],
    ["no claim", canonical({ ...proof, claims: [] })],
    ["claims in another order", canonical({ ...proof, claims: proof.claims.toReversed() })],
    ["a claim twice", canonical({ ...proof, claims: [proof.claims[0], ...proof.claims] })],
    ["a claim that is a text", canonical({ ...proof, claims: ["a"] })],
    ["a negative number", canonical({ ...proof, block: { ...proof.block, number: -1 } })],
    ["a number as a text", canonical({ ...proof, block: { ...proof.block, number: "4321" } })],
    ["a name that is no chain's", canonical({ ...proof, chain: "Bittensor" })],
    ["a demo's tag without simulated", canonical({ ...proof, v: "service-chain-proof-v1-demo" })],
    ["simulated without a demo's tag", canonical({ ...proof, simulated: true })],
    ["nodes that are no list", canonical({ ...proof, nodes: {} })],
    ["lists in one another", `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`]
  ])("and not: %s", (_, other) => {
    assert.throws(() => parseChainProof(other), Malformed)
  })

  it.each<readonly [string, object, string]>([
    ["a claim with a member more", { ...proof, claims: [{ ...proof.claims[0], more: 1 }] }, "form"],
    [
      "a key in capitals",
      { ...proof, claims: [{ kind: "substrate-storage", key: "AB", value: null }] },
      "form"
    ],
    [
      "a value that is a number",
      { ...proof, claims: [{ kind: "substrate-storage", key: "ab", value: 1 }] },
      "form"
    ],
    ["half a byte of a node", { ...proof, nodes: ["0"] }, "form"],
    ["a code", { ...proof, codes: ["00"] }, "form"]
  ])("and its state does not hold with %s", (_, other, reason) => {
    assert.deepStrictEqual(outcomeOf(other).checks.slice(0, 2), ["block: true", "state: false"])
    assert.strictEqual(outcomeOf(other).reasons[0], reason)
  })

  it("is a demo's by its tag, and says so", () => {
    const demo = { ...proof, v: "service-chain-proof-v1-demo", simulated: true }
    const [, state] = verifyChain(parseChainProof(canonical(demo)))
    assert.match(state?.detail ?? "", /simulated/)
  })

  it("is refused with a name that is none of its namespace", () => {
    assert.deepStrictEqual(outcomeOf({ ...proof, chain: `${polkadot}0`.slice(0, 20) }).reasons[0], "form")
  })
})

describe("plumbline verify chain", () => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-chain-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "proof.json")
  writeFileSync(file, canonical(proof))
  const verified = async (...args: ReadonlyArray<string>) => {
    const lines: Array<string> = []
    const exit = await main(["verify", "chain", file, ...args], {
      print: (line) => void lines.push(line),
      env: {},
      get: () => Promise.reject(new Error("nothing is asked"))
    })
    return { exit, text: lines.join("\n") }
  }

  it("says both sentences, and asks no questions of a signature", async () => {
    const { exit, text } = await verified()
    assert.strictEqual(exit, 0)
    assert.match(text, /ok .*state: a block 4321 with the hash [0-9a-f]{64} says this \(13 claims\)/)
    assert.match(text, /not checked.*canonical: nobody was asked/)
    assert.match(text, /state proved; nobody was asked whether the block is one of the chain \(exit 0\)$/)
    assert.notMatch(text, /by whom/i)
  })

  it("holds by two operators, is not proved by one, and does not hold by one that has another block", async () => {
    const both = await verified("--block", `a=0x${hash.toUpperCase()}`, "--block", `b=${hash}`)
    assert.deepStrictEqual([both.exit, /as 2 operators say: a, b/.test(both.text)], [0, true])
    assert.strictEqual((await verified("--block", `a=${hash}`)).exit, 2)
    assert.strictEqual((await verified("--block", `a=${hash}`, "--operators", "1")).exit, 0)
    assert.strictEqual((await verified("--block", `a=${hash}`, "--block", `b=${other}`)).exit, 1)
  })

  it("cannot look with an option that it does not understand, and says the same as JSON", async () => {
    for (const args of [
      ["--block", hash],
      ["--operators", "0"]
    ])
      assert.strictEqual((await verified(...args)).exit, 2)
    const { text } = await verified("--json")
    assert.deepInclude(JSON.parse(text), {
      exit: 0,
      checked: ["block", "state"],
      says: "state proved; nobody was asked whether the block is one of the chain"
    })
  })

  it("does not hold where a value was changed", async () => {
    writeFileSync(
      file,
      canonical({ ...proof, nodes: inOrder(proof.nodes.map((node) => fromHex(node)).slice(1)) })
    )
    assert.strictEqual((await verified()).exit, 1)
  })
})
