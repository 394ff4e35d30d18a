/**
 * What can be done to any honest proof of an EVM chain: none of it holds, but for what is true of a block that is not the chain's. That
 * falls at the second question, whether the chain has the block.
 */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { assert, describe, it } from "vitest"
import { fromHex, Malformed, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { type ChainProof, parseChainProof } from "../../../core/proof/chain/document.ts"
import { verifyChain } from "../../../core/proof/chain/verifyChain.ts"
import { chainVerdict } from "../../../core/proof/chain/verifyProof.ts"
import { recordedProof, tokenProof } from "../../support/chain/contracts.ts"
import { nodesInOrder } from "../../support/chain/evm.ts"

const honest: Readonly<Record<string, ChainProof>> = { recorded: recordedProof(), token: tokenProof() }

/** What two operators say who have the blocks of the honest proofs. */
const looks = (proof: ChainProof) => {
  const block = Object.values(honest).find(
    (one) => one.chain === proof.chain && one.block.number === proof.block.number
  )?.block
  const hash = block?.hash ?? "00".repeat(32)
  return { looks: ["one", "other"].map((operator) => ({ operator, hash })), least: 2 }
}

type Verdict = "accepted" | "refused" | "of another chain"

const verdictOf = (text: string): Verdict => {
  try {
    const proof = parseChainProof(text)
    const checks = verifyChain(proof, looks(proof))
    if (chainVerdict(checks) === "state proved, block as the operators say") return "accepted"
    return checks.slice(0, 2).every(({ ok }) => ok === true) ? "of another chain" : "refused"
  } catch (error) {
    if (error instanceof Malformed) return "refused"
    throw error
  }
}

type Json = Record<string, never>
type Forgery = readonly [name: string, document: unknown, isOfAnotherChain?: true]

const flipped = (hex: string, at: number, bit: number): string => {
  const bytes = fromHex(hex)
  bytes[at] = (bytes[at] ?? 0) ^ bit
  return toHex(bytes)
}

const inOrder = (blobs: ReadonlyArray<string>) => nodesInOrder(blobs.map((one) => fromHex(one)))

/** Nodes or codes that are changed, left out, doubled, or of no use. */
const ofBlobs = (proof: ChainProof, member: "nodes" | "codes"): ReadonlyArray<Forgery> => {
  const blobs = proof[member]
  const withBlobs = (list: ReadonlyArray<string>) => ({ ...proof, [member]: list })
  return [
    ...blobs.flatMap(
      (blob, at): ReadonlyArray<Forgery> => [
        ...[0, 0.25, 0.5, 0.75, 0.999].map((place): Forgery => {
          const other = flipped(blob, Math.floor((place * blob.length) / 2), 1 << (at % 8))
          return [`a bit of ${member} ${at}`, withBlobs(inOrder(blobs.with(at, other)))]
        }),
        [`${member} without ${at}`, withBlobs(blobs.toSpliced(at, 1))],
        [`${member} with ${at} twice`, withBlobs(blobs.toSpliced(at, 0, blob))],
        [`${member} with ${at} cut off`, withBlobs(inOrder(blobs.with(at, blob.slice(0, -2))))],
        [`${member} with more at ${at}`, withBlobs(inOrder(blobs.with(at, `${blob}00`)))],
        [`${member} with ${at} in capitals`, withBlobs(blobs.with(at, blob.toUpperCase()))]
      ]
    ),
    [`${member} in another order`, withBlobs(blobs.length > 1 ? blobs.toReversed() : [...blobs, ...blobs])],
    [`${member} with one of no use`, withBlobs(inOrder([...blobs, "c0".repeat(40)]))],
    [`no ${member}`, withBlobs([])],
    [`${member} that are none`, { ...proof, [member]: null }]
  ]
}

/** Claims that say something else, or the same in another form. */
const ofClaims = (proof: ChainProof): ReadonlyArray<Forgery> => {
  const claims = proof.claims as unknown as ReadonlyArray<Json>
  const sorted = (list: ReadonlyArray<unknown>) => ({
    ...proof,
    claims: list.toSorted((a, b) => (canonical(a) < canonical(b) ? -1 : 1))
  })
  return claims.flatMap((claim, at): ReadonlyArray<Forgery> => {
    const changed = (more: object) => sorted(claims.with(at, { ...claim, ...more } as Json))
    const value = String(claim["value"])
    const values = [
      null,
      "",
      "0",
      0,
      true,
      [],
      "00".repeat(32),
      "ff".repeat(32),
      `0${value}`,
      ` ${value}`,
      `${value}0`
    ]
    const spelled = [value.toUpperCase(), `0x${value}`, `${value}00`, value.slice(2), flipped(value, 31, 1)]
    return [
      ...[...values, ...spelled]
        .filter((other) => other !== value)
        .map(
          (other): Forgery => [`claim ${at} with ${String(other).slice(0, 12)}`, changed({ value: other })]
        ),
      [`claim ${at} twice`, sorted([...claims, claim])],
      [`claim ${at} with a member more`, changed({ note: "" })],
      [`claim ${at} of another kind`, changed({ kind: "evm-slot" })],
      ...["account", "data"]
        .filter((member) => typeof claim[member] === "string")
        .flatMap((member): ReadonlyArray<Forgery> => {
          const old = String(claim[member])
          return [old.slice(2), `0x${old}`, `${old}0`, old === "" ? "00" : flipped(old, 0, 0x80)].map(
            (other): Forgery => [`claim ${at} with another ${member}`, changed({ [member]: other })]
          )
        })
    ]
  })
}

/** Another block, another chain, another form. */
const ofDocument = (name: string, proof: ChainProof): ReadonlyArray<Forgery> => {
  const { block } = proof
  const withBlock = (more: object) => ({ ...proof, block: { ...block, ...more } })
  const places = [0, 5, 40, 100, block.header.length / 2 - 1]
  const other = Object.entries(honest).find(([one]) => one !== name)?.[1]
  return [
    ...places.map(
      (at): Forgery => [`a bit of the header at ${at}`, withBlock({ header: flipped(block.header, at, 4) })]
    ),
    // The parent's hash, which nothing in the state depends on.
    [
      "another parent, and the hash of that",
      withBlock({
        header: flipped(block.header, 10, 4),
        hash: toHex(keccak_256(fromHex(flipped(block.header, 10, 4))))
      }),
      true
    ],
    ["a header that is cut off", withBlock({ header: block.header.slice(0, -2) })],
    ["a header with more", withBlock({ header: `${block.header}00` })],
    ["another number", withBlock({ number: block.number + 1 })],
    ["another hash", withBlock({ hash: flipped(block.hash, 3, 1) })],
    ["a hash in capitals", withBlock({ hash: block.hash.toUpperCase() })],
    ["the block of another proof", { ...proof, block: other?.block }],
    ["the nodes of another proof", { ...proof, nodes: other?.nodes }],
    ["another chain", { ...proof, chain: "eip155:10" }, true],
    ["a chain of another kind", { ...proof, chain: "polkadot:91b171bb158e2d3848fa23a9f1c25182" }],
    ["a chain with a zero before its number", { ...proof, chain: "eip155:01" }],
    ["no claims", { ...proof, claims: [] }],
    ["claims in another order", { ...proof, claims: proof.claims.toReversed() }],
    ["a member more", { ...proof, more: 1 }],
    ...Object.keys(proof).map((member): Forgery => {
      const { [member as keyof ChainProof]: _, ...rest } = proof
      return [`without ${member}`, rest]
    })
  ]
}

describe.each(Object.entries(honest))("the proof %s", (name, proof) => {
  it("holds, of a block that two operators have", () => {
    assert.strictEqual(verdictOf(canonical(proof)), "accepted")
  })

  it("is accepted in no forgery of more than 150", () => {
    const forgeries = [
      ...ofBlobs(proof, "nodes"),
      ...ofBlobs(proof, "codes"),
      ...ofClaims(proof),
      ...ofDocument(name, proof)
    ]
    assert.isAbove(forgeries.length, 150)
    for (const [forgery, document, isOfAnotherChain] of forgeries)
      assert.strictEqual(
        verdictOf(canonical(document)),
        isOfAnotherChain === true ? "of another chain" : "refused",
        forgery
      )
  })

  it("is read in one spelling alone", () => {
    const text = canonical(proof)
    for (const other of [
      text.slice(0, -1),
      `${text}\n`,
      ` ${text}`,
      text.replace(",", ", "),
      text.replace('"v":', '"__proto__":{},"v":'),
      JSON.stringify(proof, null, 1),
      `${"[".repeat(100_000)}`
    ])
      assert.strictEqual(verdictOf(other), "refused")
  })
})
