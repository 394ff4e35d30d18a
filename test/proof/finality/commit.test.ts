/** Commits of CometBFT: a recorded one of nyx, validators who really sign, sets that change, and forgeries. */
import { readFileSync } from "node:fs"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fromHex, Malformed, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { encodeValidator } from "../../../core/proof/chain/cosmosHeader.ts"
import { chainVerdict } from "../../../core/proof/chain/verifyProof.ts"
import type { CommitEvidence } from "../../../core/proof/finality/commit.ts"
import { type ChainFinality, finalityText, parseFinality } from "../../../core/proof/finality/document.ts"
import { demandSigned, verifyFinality } from "../../../core/proof/finality/verifyFinality.ts"
import { root, treeOf } from "../../../core/proof/merkle.ts"
import {
  commitOf,
  finalityOf,
  headerOf,
  setHash,
  signedBlock,
  signer,
  toldValidators
} from "../../support/chain/cometbft.ts"

const recorded = JSON.parse(
  readFileSync(new URL("../../../fixtures/chain/nyx.json", import.meta.url), "utf8")
)
const nyx = finalityOf(recorded.header, recorded.commit, recorded.validators)
const nyxSet = recorded.header.validators_hash.toLowerCase()

const names = ["a", "b", "c", "d"]
const set = names.map((name) => signer(name, 10))
const trusted = [setHash(set)]
const block = signedBlock("made-1", 100, "2026-09-05T11:00:00Z", set)

const final = (
  document: ChainFinality,
  by: ReadonlyArray<string>,
  before: ReadonlyArray<ChainFinality> = []
) => verifyFinality(document, [...before, document], by).check

/** What is said of it: whether it holds, or why not. */
const verdict = (document: ChainFinality, by = trusted, before: ReadonlyArray<ChainFinality> = []) => {
  const check = final(document, by, before)
  return check.ok === true ? true : [check.ok, check.reason]
}

const evidenceOf = (document: ChainFinality) => document.evidence as CommitEvidence
const withEvidence = (document: ChainFinality, change: Partial<CommitEvidence>): ChainFinality => ({
  ...document,
  evidence: { ...evidenceOf(document), ...change } as ChainFinality["evidence"]
})

describe("a commit", () => {
  it("of nyx, as it was recorded, is signed by all of its 16 validators", () => {
    const check = final(nyx, [nyxSet])
    assert.strictEqual(check.ok, true, check.detail)
    assert.match(
      check.detail,
      /^25834598 of 25834598 power of the validators with the hash 3c8e7e6c\S+ signed block 24499896 of cosmos:nyx; you trust them$/
    )
    assert.strictEqual(verifyFinality(nyx, [nyx], [nyxSet]).by, "CometBFT")
  })

  it("proves nothing to whoever trusts none of its validators, and names them", () => {
    assert.deepStrictEqual(verdict(nyx, []), ["not proved", "key"])
    assert.match(
      final(nyx, []).detail,
      new RegExp(`the hash ${nyxSet} signed block 24499896; nobody but this document says`)
    )
    assert.deepStrictEqual(verdict(nyx, trusted), ["not proved", "key"])
  })

  it("of validators who sign here holds, in whichever round, without a third of them", () => {
    assert.strictEqual(verdict(block), true)
    assert.strictEqual(verdict(signedBlock("made-1", 100, "2026-09-05T11:00:00Z", set, { round: 3 })), true)
    for (const other of ["absent", "nil"] as const)
      assert.strictEqual(
        verdict(
          signedBlock("made-1", 100, "2026-09-05T11:00:00Z", set, {
            votes: (at) => (at === 2 ? other : "block")
          })
        ),
        true
      )
  })

  it("needs more than two thirds of the power, and no number of validators", () => {
    const votes = (at: number) => (at < 2 ? "block" : "absent")
    assert.deepStrictEqual(verdict(signedBlock("made-1", 100, "2026-09-05T11:00:00Z", set, { votes })), [
      false,
      "missing"
    ])
    const three = names.slice(0, 3).map((name) => signer(name, 10))
    const twoThirds = signedBlock("made-1", 100, "2026-09-05T11:00:00Z", three, { votes })
    assert.deepStrictEqual(verdict(twoThirds, [setHash(three)]), [false, "missing"])
    const heavy = [signer("a", 21), ...names.slice(1).map((name) => signer(name, 3))]
    const one = signedBlock("made-1", 100, "2026-09-05T11:00:00Z", heavy, {
      votes: (at) => (at === 0 ? "block" : "nil")
    })
    assert.strictEqual(verdict(one, [setHash(heavy)]), true)
  })

  it("has one form, and parses from its text", () => {
    assert.deepStrictEqual(parseFinality(finalityText(block)), block)
    for (const text of [
      `${finalityText(block)} `,
      canonical({ ...block, note: 1 }),
      canonical({ ...block, simulated: true }),
      canonical({ ...block, evidence: {} })
    ])
      assert.throws(() => parseFinality(text), Malformed)
    assert.throws(
      () => parseFinality(canonical({ ...block, v: "service-chain-finality-v2" })),
      /newer release/
    )
  })
})

describe("a set", () => {
  it("has no validator twice, whose power would count twice", () => {
    const twice = [...set, ...set.slice(0, 1)]
    const votes = (at: number) => (at === 0 || at === 4 ? "block" : "absent")
    const document = signedBlock("made-1", 100, "2026-09-05T11:00:00Z", twice, { votes })
    assert.deepStrictEqual(verdict(document, [setHash(twice)]), [false, "contradiction"])
  })

  it("may have keys of another kind, whose votes count for nothing", () => {
    const validators = toldValidators(set).map((one, at) =>
      at === 0 ? { ...one, pub_key: { ...one.pub_key, type: "tendermint/PubKeySecp256k1" } } : one
    )
    const hash = toHex(root(treeOf(validators.map(encodeValidator))))
    const header = headerOf("made-1", 100, "2026-09-05T11:00:00Z", set, {
      validators_hash: hash.toUpperCase()
    })
    const document = finalityOf(header, commitOf(header, set), validators)
    assert.match(final(document, [hash]).detail, /^30 of 40 power/)
    const [first, ...others] = evidenceOf(block).votes
    assert(first !== undefined)
    assert.deepStrictEqual(verdict(withEvidence(document, { votes: [first, ...others] }), [hash]), [
      false,
      "form"
    ])
  })
})

describe("evidence of another kind", () => {
  it("is not proved by a verifier that does not know it, and is of the chain's own kind", () => {
    const other = { ...block, evidence: { kind: "proof-of-history" } }
    assert.deepStrictEqual(verdict(other), ["not proved", "newer"])
    assert.strictEqual(
      chainVerdict([
        { name: "block", ok: true, detail: "" },
        { name: "state", ok: true, detail: "" },
        final(other, trusted)
      ]),
      "state proved; that the block is one of the chain is not proved"
    )
    assert.deepStrictEqual(verdict({ ...block, chain: "eip155:1" }), [false, "origin"])
  })
})

describe("a set that changes", () => {
  const next = [...names.slice(1), "e"].map((name) => signer(name, 10))
  const others = ["d", "e", "f", "g"].map((name) => signer(name, 10))
  const later = (days: number, signers = next, height = 200) =>
    signedBlock(
      "made-1",
      height,
      new Date(Date.parse("2026-09-05T11:00:00Z") + days * 86_400_000).toISOString().replace(".000", ""),
      signers
    )

  it("is followed where more than a third of the power before signs the block after", () => {
    assert.strictEqual(verdict(later(1), trusted, [block]), true)
    assert.match(
      final(later(1), trusted, [block]).detail,
      /you trust validators before them, from whom this commit leads to them$/
    )
    assert.strictEqual(verdict(later(2, others, 300), trusted, [block, later(1)]), true)
  })

  it("is not followed without the block before, by too few, after two weeks, or back in time", () => {
    assert.deepStrictEqual(verdict(later(1), trusted), ["not proved", "key"])
    assert.deepStrictEqual(verdict(later(2, others), trusted, [block]), ["not proved", "key"])
    assert.deepStrictEqual(verdict(later(15), trusted, [block]), ["not proved", "key"])
    assert.strictEqual(verdict(later(14), trusted, [block]), true)
    assert.deepStrictEqual(verdict(later(-1), trusted, [block]), ["not proved", "key"])
    assert.deepStrictEqual(verdict(later(1, next, 50), trusted, [block]), [false, "contradiction"])
  })

  it("is not followed over a block that does not hold, or of another chain", () => {
    const forged = withEvidence(block, { votes: evidenceOf(block).votes.slice(2) })
    assert.deepStrictEqual(verdict(later(1), trusted, [forged]), [false, "missing"])
    const elsewhere = signedBlock("made-2", 100, "2026-09-05T11:00:00Z", set)
    assert.deepStrictEqual(verdict(later(1), trusted, [elsewhere]), [false, "origin"])
  })
})

describe("a proof's block", () => {
  it("is not another block that the validators signed at its height", () => {
    const header = headerOf("made-1", 100, "2026-09-05T11:00:01Z", set)
    const other = finalityOf(header, commitOf(header, set), toldValidators(set))
    const { check } = verifyFinality(block, [other], trusted)
    assert.deepInclude(check, { ok: false, reason: "contradiction" })
    assert.match(check.detail, /^cosmos:made-1 has another block 100: /)
  })

  it("is not final without a document of it", () => {
    const { check } = verifyFinality({ ...block, block: { ...block.block, number: 101 } }, [block], trusted)
    assert.deepInclude(check, { ok: "not proved", reason: "missing" })
  })
})

const flipped = (hex: string, at: number): string => {
  const bytes = fromHex(hex)
  const place = at % bytes.length
  bytes[place] = (bytes[place] ?? 0) ^ (1 << (at % 8))
  return toHex(bytes)
}

/** Whether a document is believed, whatever it is. */
const isAccepted = (document: ChainFinality): boolean => {
  try {
    const read = parseFinality(canonical(document))
    demandSigned(read)
    return verifyFinality(block, [read], trusted).check.ok === true
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

describe("forgeries", () => {
  const { parts, validators, votes } = evidenceOf(block)
  const at = fc.nat({ max: 2000 })
  const changedVote = (place: number, change: object) =>
    withEvidence(block, {
      votes: votes.map((vote, index) => (index === place % votes.length ? { ...vote, ...change } : vote))
    })
  const strangers = ["w", "x", "y", "z"].map((name) => signer(name, 10))
  const signing = (voting: Parameters<typeof signedBlock>[4]) =>
    signedBlock("made-1", 100, "2026-09-05T11:00:00Z", set, voting)

  const forged: Readonly<Record<string, fc.Arbitrary<ChainFinality>>> = {
    "a bit of a validator": at.map((n) =>
      withEvidence(block, {
        validators: validators.map((one, place) => (place === n % validators.length ? flipped(one, n) : one))
      })
    ),
    "a bit of a signature": at.map((n) =>
      changedVote(n, { signature: flipped(votes[n % votes.length]?.signature ?? "", n) })
    ),
    "a bit of a time": at.map((n) =>
      changedVote(n, { time: flipped(votes[n % votes.length]?.time ?? "", n) })
    ),
    "a bit of the header": at.map((n) => ({
      ...block,
      block: { ...block.block, header: flipped(block.block.header, n) }
    })),
    "a bit of the hash": at.map((n) => ({
      ...block,
      block: { ...block.block, hash: flipped(block.block.hash, n) }
    })),
    "a bit of the hash of the parts": at.map((n) =>
      withEvidence(block, { parts: { ...parts, hash: flipped(parts.hash, n) } })
    ),
    "another number of parts": at.map((n) => withEvidence(block, { parts: { ...parts, total: n + 2 } })),
    "another round": at.map((n) => withEvidence(block, { round: n + 1 })),
    "a vote of another": fc
      .tuple(at, at)
      .map(([n, m]) => changedVote(n, { validator: (n + 1 + (m % 3)) % 4 })),
    "a vote of nobody": at.map((n) => changedVote(3, { validator: n + 4 })),
    "a vote counted twice": at.map((n) =>
      withEvidence(block, { votes: [...votes.slice(0, 2), ...votes.slice(1 - (n % 2), 2)] })
    ),
    "votes in another order": fc
      .shuffledSubarray([...votes], { minLength: 3 })
      .filter((list) =>
        list.some((vote, place) => place > 0 && vote.validator < (list[place - 1]?.validator ?? 0))
      )
      .map((list) => withEvidence(block, { votes: list })),
    "too few votes": fc
      .subarray([...votes], { maxLength: 2 })
      .map((list) => withEvidence(block, { votes: list })),
    "signatures of strangers": at.map((n) =>
      signing({ hands: set.map((one, place) => (place === n % 4 ? (strangers[place] ?? one) : one)) })
    ),
    "a set of strangers": at.map((n) =>
      signedBlock("made-1", 100, "2026-09-05T11:00:00Z", strangers.slice(n % 3))
    ),
    "a chain of another name": at.map((n) => signing({ chain: `made-${n + 2}` })),
    "another height": at.map((n) => signing({ height: n === 100 ? 99 : n })),
    "another chain in the document": at.map((n) => ({ ...block, chain: `cosmos:made-${n + 2}` })),
    "another number in the document": at.map((n) => ({
      ...block,
      block: { ...block.block, number: n === 100 ? 99 : n }
    })),
    "a member more": at.map((n) => withEvidence(block, { [`member${n}`]: n } as Partial<CommitEvidence>)),
    "numbers that are none": fc
      .constantFrom(-1, 0.5, "0", null)
      .map((round) => withEvidence(block, { round } as unknown as Partial<CommitEvidence>))
  }

  it("are made of what is accepted", () => {
    assert.isTrue(isAccepted(block))
  })

  it.each(Object.entries(forged))("with %s are not accepted", (_, documents) => {
    fc.assert(
      fc.property(documents, (document) => !isAccepted(document)),
      { numRuns: 100 }
    )
  })
})
