/** Justifications of GRANDPA: authorities who really vote, for a block or its descendants, and forgeries. No recorded one with its set was found. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fromHex, Malformed, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { type ChainFinality, parseFinality } from "../../../core/proof/finality/document.ts"
import { authoritiesHash, type JustificationEvidence } from "../../../core/proof/finality/justification.ts"
import { verifyFinality } from "../../../core/proof/finality/verifyFinality.ts"
import { signer } from "../../support/chain/cometbft.ts"
import { blockAfter, blocksFrom, justified, type Voting } from "../../support/chain/grandpa.ts"

const set = ["a", "b", "c", "d"].map((name) => signer(name, 1))
const blocks = blocksFrom(100, 4)
const [first, , , last] = blocks
assert(first !== undefined && last !== undefined)
const evidenceOf = (document: ChainFinality) => document.evidence as JustificationEvidence
const honest = justified(blocks, set)
const trusted = [authoritiesHash(evidenceOf(honest))]

const finalOf = (document: ChainFinality, by = trusted) => verifyFinality(document, [document], by)
const verdict = (document: ChainFinality, by = trusted) => {
  const { check } = finalOf(document, by)
  return check.ok === true ? true : [check.ok, check.reason]
}
const voting = (how: Voting) => verdict(justified(blocks, set, how))

describe("a justification", () => {
  it("makes a block final, and those before it, for whoever trusts the authorities", () => {
    const { by, check } = finalOf(honest)
    assert.strictEqual(check.ok, true, check.detail)
    assert.strictEqual(by, "GRANDPA")
    assert.match(
      check.detail,
      /^4 of 4 authorities of the set with the hash [0-9a-f]{64} voted for block 100, or for a descendant of it; you trust them$/
    )
    assert.strictEqual(verdict(justified([first], set)), true)
    assert.deepStrictEqual(verdict(honest, []), ["not proved", "key"])
    assert.deepStrictEqual(verdict(honest, ["00".repeat(32)]), ["not proved", "key"])
    const { set_id: _, ...more } = evidenceOf(honest)
    assert.notDeepEqual(authoritiesHash({ ...more, set_id: 5 }), trusted[0])
  })

  it("needs more than two thirds of the authorities, each counted once", () => {
    assert.strictEqual(voting({ votes: (at) => (at === 1 ? undefined : last) }), true)
    assert.deepStrictEqual(voting({ votes: (at) => (at < 2 ? undefined : last) }), [false, "missing"])
    assert.deepStrictEqual(voting({ times: 3, votes: (at) => (at < 2 ? undefined : last) }), [
      false,
      "missing"
    ])
    const three = set.slice(1)
    const two = justified(blocks, three, { votes: (at) => (at === 0 ? undefined : last) })
    assert.deepStrictEqual(verdict(two, [authoritiesHash(evidenceOf(two))]), [false, "missing"])
  })

  it("counts votes for descendants whose headers it has, and no others", () => {
    const child = blockAfter(last.hash, 104)
    const grandchild = blockAfter(child.hash, 105)
    const votes = (at: number) => [last, child, grandchild, undefined][at]
    assert.strictEqual(voting({ votes, ancestries: [child, grandchild] }), true)
    assert.strictEqual(voting({ votes, ancestries: [grandchild, child] }), true)
    assert.deepStrictEqual(voting({ votes, ancestries: [grandchild] }), [false, "missing"])
    assert.deepStrictEqual(voting({ votes }), [false, "missing"])
    const sibling = blockAfter(first.hash, 104)
    assert.deepStrictEqual(voting({ votes: (at) => (at < 2 ? last : sibling), ancestries: [sibling] }), [
      false,
      "missing"
    ])
  })

  it("is of a round and a set, which are signed", () => {
    assert.deepStrictEqual(voting({ signedRound: 8 }), [false, "signature"])
    assert.deepStrictEqual(voting({ signedSet: 3 }), [false, "signature"])
  })

  it("has so many signatures that a verifier has time for them, which are enough for every chain that is read", () => {
    const many = Array.from({ length: 601 }, (_, at) => signer(`one of many ${at}`, 1))
    const verdictBy = (count: number, votes: number) => {
      const document = justified(blocks, many.slice(0, count), {
        votes: (at) => (at < votes ? last : undefined)
      })
      return verdict(document, [authoritiesHash(evidenceOf(document))])
    }
    assert.strictEqual(verdictBy(600, 401), true)
    assert.deepStrictEqual(verdictBy(600, 400), [false, "missing"])
    assert.deepStrictEqual(verdictBy(600, 402), [false, "form"])
    assert.deepStrictEqual(verdictBy(601, 401), [false, "form"])
  })

  it("is of no block that the headers do not lead to", () => {
    const { headers } = evidenceOf(honest)
    const with_ = (list: ReadonlyArray<string>) =>
      verdict({ ...honest, evidence: { ...evidenceOf(honest), headers: list } as ChainFinality["evidence"] })
    assert.deepStrictEqual(with_(headers.slice(0, 2)), [false, "contradiction"])
    assert.deepStrictEqual(with_([]), [false, "contradiction"])
    assert.deepStrictEqual(with_(headers.slice(1)), [false, "hash"])
    assert.deepStrictEqual(with_(headers.toReversed()), [false, "hash"])
  })
})

const flipped = (hex: string, at: number): string => {
  const bytes = fromHex(hex)
  const place = at % bytes.length
  bytes[place] = (bytes[place] ?? 0) ^ (1 << (at % 8))
  return toHex(bytes)
}

const isAccepted = (document: ChainFinality): boolean => {
  try {
    return verifyFinality(honest, [parseFinality(canonical(document))], trusted).check.ok === true
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

describe("forgeries", () => {
  const at = fc.nat({ max: 5000 })
  const { authorities, headers, justification } = evidenceOf(honest)
  const changed = (change: object): ChainFinality => ({
    ...honest,
    evidence: { ...evidenceOf(honest), ...change } as ChainFinality["evidence"]
  })
  const strangers = ["w", "x", "y", "z"].map((name) => signer(name, 1))
  const forged: Readonly<Record<string, fc.Arbitrary<ChainFinality>>> = {
    "a bit of the justification": at.map((n) => changed({ justification: flipped(justification, n) })),
    "a justification that is cut off": at.map((n) =>
      changed({ justification: justification.slice(0, 2 * (n % (justification.length / 2))) })
    ),
    "a justification with more bytes": at.map((n) =>
      changed({ justification: justification + "00".repeat(1 + (n % 9)) })
    ),
    "a bit of a header": at.map((n) =>
      changed({
        headers: headers.map((one, place) => (place === n % headers.length ? flipped(one, n) : one))
      })
    ),
    "a header fewer": at.map((n) => changed({ headers: headers.toSpliced(n % headers.length, 1) })),
    "a bit of an authority": at.map((n) =>
      changed({
        authorities: authorities.map((one, place) =>
          place === n % authorities.length ? flipped(one, n) : one
        )
      })
    ),
    "an authority fewer": at.map((n) =>
      changed({ authorities: authorities.toSpliced(n % authorities.length, 1) })
    ),
    "an authority twice": at.map((n) =>
      changed({ authorities: [...authorities, authorities[n % authorities.length]] })
    ),
    "another set": at.map((n) => changed({ set_id: n === 4 ? 5 : n })),
    "a hand of a stranger": at.map((n) =>
      justified(blocks, set, {
        hands: set.map((one, place) => (place === n % 4 ? (strangers[place] ?? one) : one))
      })
    ),
    "a set of strangers": at.map((n) => justified(blocks, strangers.slice(n % 3))),
    "another round": at.map((n) => justified(blocks, set, { signedRound: n === 9 ? 8 : n })),
    "votes for another block": at.map((n) => {
      const other = blockAfter(first.hash, 101, `other ${n}`)
      return justified(blocks, set, { votes: (place) => (place < 2 ? other : last), ancestries: [other] })
    }),
    "another number": at.map((n) => ({ ...honest, block: { ...honest.block, number: n === 100 ? 99 : n } })),
    "a bit of the block's header": at.map((n) => ({
      ...honest,
      block: { ...honest.block, header: flipped(honest.block.header, n) }
    })),
    "a member more": at.map((n) => changed({ [`member${n}`]: n }))
  }

  it("are made of what is accepted", () => {
    assert.isTrue(isAccepted(honest))
  })

  it.each(Object.entries(forged))("with %s are not accepted", (_, documents) => {
    fc.assert(
      fc.property(documents, (document) => !isAccepted(document)),
      { numRuns: 100 }
    )
  })
})
