/** The sync committee of Ethereum: recorded data of main net, a committee that really signs, blocks before the final one, and forgeries. */
import { readFileSync } from "node:fs"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { fromHex, Malformed, toHex } from "../../../core/proof/bytes.ts"
import { canonical } from "../../../core/proof/canonical.ts"
import { members } from "../../../core/proof/finality/attested.ts"
import { beacons } from "../../../core/proof/finality/beacon.ts"
import { type ChainFinality, finalityTag, parseFinality } from "../../../core/proof/finality/document.ts"
import { mostPeriods } from "../../../core/proof/finality/nextCommittee.ts"
import { demandFinal, type SyncEvidence } from "../../../core/proof/finality/syncCommittee.ts"
import { syncEvidence } from "../../../core/proof/finality/syncRead.ts"
import { verifyFinality } from "../../../core/proof/finality/verifyFinality.ts"
import { electra, type NextSigning, rootOf, signedFinal } from "../../support/chain/beacon.ts"
import {
  account,
  evmHeaderOver,
  nodesInOrder,
  patricia,
  rlp,
  unsigned,
  word
} from "../../support/chain/evm.ts"

const mainNet = beacons.get("eip155:1")
assert(mainNet !== undefined)

const { bootstrap, checkpoint, update } = JSON.parse(
  readFileSync(new URL("../../../fixtures/chain/sync-committee-862.json", import.meta.url), "utf8")
)
const recorded = syncEvidence(bootstrap, update)

describe("the sync committee of period 862 of main net, as it was recorded", () => {
  it("signed by 511 of 512 that block 17875650 is final", () => {
    const { hash, root, signers } = demandFinal(recorded, mainNet)
    assert.strictEqual(signers, 511)
    assert.strictEqual(hash, "f9d7f0e296fecfdff9ca8253855cd196a3d31ae93a1e1a75562f51a6436c9d54")
    assert.strictEqual(root, checkpoint.replace(/^0x/, ""))
  })

  const last = (hex: string) => `${hex.slice(0, -1)}${hex.endsWith("0") ? "1" : "0"}`
  it.each<readonly [string, Partial<SyncEvidence>]>([
    ["another bit", { bits: "ff".repeat(64) }],
    ["too few", { bits: "01".repeat(64) }],
    ["another signature", { signature: last(recorded.signature) }],
    ["a signature at infinity", { signature: `c0${"00".repeat(95)}` }],
    ["another final block", { finalized: recorded.attested }],
    ["another execution block", { execution: { ...recorded.execution, hash: "11".repeat(32) } }],
    ["another attested block", { attested: { ...recorded.attested, proposer_index: 1 } }],
    ["a shorter branch", { finality_branch: recorded.finality_branch.slice(1) }],
    ["another period", { signature_slot: recorded.signature_slot + 8192 }],
    [
      "another committee",
      {
        committee: {
          ...recorded.committee,
          keys: recorded.committee.keys.slice(96) + recorded.committee.keys.slice(0, 96)
        }
      }
    ],
    [
      "another sum of keys",
      { committee: { ...recorded.committee, aggregate: recorded.committee.keys.slice(0, 96) } }
    ]
  ])("with %s does not hold", (_, change) => {
    assert.throws(() => demandFinal({ ...recorded, ...change }, mainNet), Malformed)
  })
})

const header = evmHeaderOver(new Uint8Array(32).fill(7), 1_000_000n)
const hash = toHex(keccak_256(header))
const block = { number: 1_000_000, hash, header: toHex(header) }

const documentOf = (evidence: SyncEvidence, of = block): ChainFinality => ({
  v: finalityTag,
  day: "2026-09-05",
  chain: "eip155:1",
  block: of,
  evidence
})

const honest = signedFinal(hash)
const trusted = [rootOf(honest)]
const finalOf = (document: ChainFinality, by = trusted) =>
  verifyFinality({ chain: "eip155:1", block: document.block }, [document], by)
const verdict = (document: ChainFinality, by = trusted) => {
  const { check } = finalOf(document, by)
  return check.ok === true ? true : [check.ok, check.reason]
}

describe("a committee that signs here", () => {
  it("makes the block final for whoever trusts the block of the beacon chain", () => {
    const { by, check } = finalOf(documentOf(honest))
    assert.strictEqual(check.ok, true, check.detail)
    assert.strictEqual(by, "the sync committee")
    assert.match(
      check.detail,
      /^512 of 512 members .* signed that block 1000000 is final; you trust that block$/
    )
    assert.deepStrictEqual(verdict(documentOf(honest), []), ["not proved", "key"])
    assert.deepStrictEqual(verdict(documentOf(honest), ["00".repeat(32)]), ["not proved", "key"])
  })

  const first = (count: number) => Array.from({ length: count }, (_, at) => at)
  it("needs two thirds of its members, who are those that are named", () => {
    assert.strictEqual(verdict(documentOf(signedFinal(hash, { signers: first(342) }))), true)
    assert.deepStrictEqual(verdict(documentOf(signedFinal(hash, { signers: first(341) }))), [
      false,
      "missing"
    ])
    assert.deepStrictEqual(
      verdict(documentOf(signedFinal(hash, { signers: first(341), claimed: first(342) }))),
      [false, "signature"]
    )
    assert.deepStrictEqual(
      verdict(documentOf(signedFinal(hash, { signers: first(342), claimed: first(343).slice(1) }))),
      [false, "signature"]
    )
  })

  it("signs by the version of the fork, in its own period, in the order of the slots", () => {
    assert.deepStrictEqual(verdict(documentOf(signedFinal(hash, { version: "05000000" }))), [
      false,
      "signature"
    ])
    const at = (slots: readonly [number, number, number, number]) => {
      const evidence = signedFinal(hash, { slots })
      return verdict(documentOf(evidence), [rootOf(evidence)])
    }
    const start = 13_164_544
    assert.strictEqual(at([start, start + 9, start + 8, start + 10]), true)
    assert.deepStrictEqual(at([start, start + 9, start + 8, start + 9]), [false, "contradiction"])
    assert.deepStrictEqual(at([start, start + 8, start + 9, start + 10]), [false, "contradiction"])
    assert.deepStrictEqual(at([start, start + 8190, start + 8100, start + 8192]), [false, "contradiction"])
    assert.strictEqual(at([start + 8100, start + 90, start + 8, start + 100]), true)
  })

  it("makes no block of another chain final", () => {
    const document = { ...documentOf(honest), chain: "eip155:8453" }
    const { check } = verifyFinality({ chain: "eip155:8453", block }, [document], trusted)
    assert.deepInclude(check, { ok: false, reason: "origin" })
  })
})

/** A final block whose state keeps the hash of an earlier one. */
const historyOf = (number: number, recent: string, at = 1_000_000 % 8191) => {
  const storage = patricia([[word(BigInt(at)), rlp(unsigned(BigInt(`0x${recent}`)))]])
  const contract = fromHex("0000f90827f1c53a10cb7a02335b175320002935")
  const state = patricia([[contract, account(storage.root, new Uint8Array(32).fill(1))]])
  const over = evmHeaderOver(state.root, BigInt(number))
  return {
    hash: toHex(keccak_256(over)),
    final: {
      number,
      header: toHex(over),
      nodes: nodesInOrder([...state.nodes.values(), ...storage.nodes.values()])
    }
  }
}

describe("a block before the final one", () => {
  const under = (number: number, recent = hash, at?: number) => {
    const { final, hash: finalHash } = historyOf(number, recent, at)
    return documentOf({ ...signedFinal(finalHash), final })
  }

  it("is final if the final one keeps its hash", () => {
    assert.strictEqual(verdict(under(1_000_001)), true)
    assert.strictEqual(verdict(under(1_000_000 + 8191)), true)
  })

  it("is not if it keeps another, in another place, or no longer", () => {
    assert.deepStrictEqual(verdict(under(1_000_001, "11".repeat(32))), [false, "contradiction"])
    assert.strictEqual(finalOf(under(1_000_001, hash, 5)).check.ok, false)
    assert.deepStrictEqual(verdict(under(1_000_000 + 8192)), [false, "contradiction"])
    assert.deepStrictEqual(verdict(under(1_000_000)), [false, "contradiction"])
    const { final } = historyOf(1_000_001, hash)
    assert.deepStrictEqual(verdict(documentOf({ ...signedFinal("22".repeat(32)), final })), [false, "hash"])
  })
})

describe("the committees of the next periods", () => {
  const first = 1607
  const headers = Array.from({ length: 40 }, (_, at) =>
    evmHeaderOver(new Uint8Array(32).fill(7), BigInt(1_000_000 + at))
  )
  /** The document of a period, whose committee signs who is in the next one. */
  const ofPeriod = (
    at: number,
    next: Partial<NextSigning> | "none" = {},
    committee = at % 3
  ): ChainFinality => {
    const over = headers[at] ?? assert.fail()
    const start = (first + at) * 8192
    const own = toHex(keccak_256(over))
    const evidence = signedFinal(own, {
      committee,
      slots: [start + 32, start + 400, start + 336, start + 401],
      ...(next === "none" ? {} : { next: { committee: (at + 1) % 3, ...next } })
    })
    return documentOf(evidence, { number: 1_000_000 + at, hash: own, header: toHex(over) })
  }
  const rootAt = (document: ChainFinality) => rootOf(document.evidence as SyncEvidence)
  const outcome = (documents: ReadonlyArray<ChainFinality>, by: ReadonlyArray<string>) => {
    const target = documents.at(-1) ?? assert.fail()
    const { check } = verifyFinality({ chain: "eip155:1", block: target.block }, documents, by)
    return check
  }
  const [one, two, three] = [ofPeriod(0), ofPeriod(1), ofPeriod(2)]

  it("follow from one that a reader named, each signed by the one before", () => {
    const check = outcome([one, two, three], [rootAt(one)])
    assert.strictEqual(check.ok, true, check.detail)
    assert.match(
      check.detail,
      /you trust a block 2 periods before, whose committee signed who is in the next, and so on$/
    )
    assert.match(outcome([one, two], [rootAt(one)]).detail, /you trust a block one period before/)
    assert.match(outcome([one, two, three], [rootAt(three)]).detail, /you trust that block$/)
  })

  it("do not follow without the one between, from another one, or from a later one", () => {
    for (const documents of [[one, three], [three]])
      assert.deepInclude(outcome(documents, [rootAt(one)]), { ok: "not proved", reason: "key" })
    const apart = ofPeriod(1, {}, 2)
    assert.deepInclude(outcome([one, apart, three], [rootAt(one)]), { ok: "not proved", reason: "key" })
    assert.deepInclude(outcome([one, apart], [rootAt(one)]), { ok: "not proved", reason: "key" })
    assert.deepInclude(outcome([ofPeriod(0, "none"), two], [rootAt(one)]), {
      ok: "not proved",
      reason: "key"
    })
    assert.deepInclude(
      verifyFinality({ chain: "eip155:1", block: one.block }, [one, two], [rootAt(two)]).check,
      {
        ok: false,
        reason: "contradiction"
      }
    )
  })

  it("do not follow where another committee, or too few of it, signed who is in the next, or of another period", () => {
    const places = Array.from({ length: 341 }, (_, at) => at)
    const start = first * 8192
    for (const [next, reason] of [
      [{ signs: 1 }, "signature"],
      [{ signers: places }, "missing"],
      [{ signers: places, claimed: [...places, 341] }, "signature"],
      [{ slots: [start + 40, start - 32, start + 41] }, "contradiction"],
      [{ slots: [start + 8200, start + 8195, start + 8201] }, "contradiction"]
    ] as const) {
      const document = ofPeriod(0, next)
      assert.deepInclude(outcome([document], [rootAt(document)]), { ok: false, reason })
    }
  })

  it(`follow for at most ${mostPeriods} periods`, { timeout: 120_000 }, () => {
    const all = Array.from({ length: mostPeriods + 2 }, (_, at) => ofPeriod(at))
    assert.strictEqual(outcome(all.slice(0, -1), [rootAt(one)]).ok, true)
    assert.deepInclude(outcome(all, [rootAt(one)]), { ok: "not proved", reason: "key" })
  })

  // No recorded data of those forks was to be had: these are the numbers of the consensus specifications (altair and electra, sync-protocol.md).
  it("stand where the consensus specifications say", () => {
    assert.deepStrictEqual(
      mainNet.forks.map(({ committee, finalized, next }) => [committee, next, finalized]),
      [
        [54, 55, 105],
        [54, 55, 105],
        [86, 87, 169],
        [86, 87, 169]
      ]
    )
    assert.deepInclude(mainNet.forks.at(-1), electra)
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
    return (
      verifyFinality({ chain: "eip155:1", block }, [parseFinality(canonical(document))], trusted).check.ok ===
      true
    )
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}

describe("forgeries", () => {
  const at = fc.nat({ max: 30_000 })
  const changed = (change: Partial<SyncEvidence>) => documentOf({ ...honest, ...change })
  const inBranch = (branch: ReadonlyArray<string>, n: number) =>
    branch.map((node, place) => (place === n % branch.length ? flipped(node, n) : node))
  const members_ = ["header", "attested", "finalized"] as const
  const roots = ["parent_root", "state_root", "body_root"] as const

  const leading = signedFinal(hash, { next: { committee: 1 } })
  const next = leading.next ?? assert.fail()
  const forged: Readonly<Record<string, fc.Arbitrary<ChainFinality>>> = {
    "a bit of the keys": at.map((n) =>
      changed({ committee: { ...honest.committee, keys: flipped(honest.committee.keys, n) } })
    ),
    "a bit of their sum": at.map((n) =>
      changed({ committee: { ...honest.committee, aggregate: flipped(honest.committee.aggregate, n) } })
    ),
    "a bit of the committee's branch": at.map((n) =>
      changed({ committee: { ...honest.committee, branch: inBranch(honest.committee.branch, n) } })
    ),
    "a bit of the final branch": at.map((n) =>
      changed({ finality_branch: inBranch(honest.finality_branch, n) })
    ),
    "a bit of the execution branch": at.map((n) =>
      changed({ execution: { ...honest.execution, branch: inBranch(honest.execution.branch, n) } })
    ),
    "a bit of the execution hash": at.map((n) =>
      changed({ execution: { ...honest.execution, hash: flipped(honest.execution.hash, n) } })
    ),
    "a bit of the signature": at.map((n) => changed({ signature: flipped(honest.signature, n) })),
    "a bit of who signed": at.map((n) => changed({ bits: flipped(honest.bits, n) })),
    "too few who signed": fc
      .subarray(
        Array.from({ length: members }, (_, place) => place),
        { maxLength: 341 }
      )
      .map((list) => {
        const bits = new Uint8Array(64)
        for (const place of list) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
        return changed({ bits: toHex(bits) })
      }),
    "a bit of who is next": at.map((n) =>
      changed({ ...leading, next: { ...next, committee: flipped(next.committee, n) } })
    ),
    "a bit of what was signed of who is next": at.map((n) =>
      changed({ ...leading, next: { ...next, signature: flipped(next.signature, n) } })
    ),
    "a bit of the branch to who is next": at.map((n) =>
      changed({ ...leading, next: { ...next, branch: inBranch(next.branch, n) } })
    ),
    "a bit of a root": fc
      .tuple(fc.constantFrom(...members_), fc.constantFrom(...roots), at)
      .map(([member, root, n]) =>
        changed({ [member]: { ...honest[member], [root]: flipped(honest[member][root], n) } })
      ),
    "another slot": fc
      .tuple(fc.constantFrom(...members_), at)
      .map(([member, n]) => changed({ [member]: { ...honest[member], slot: honest[member].slot + 1 + n } })),
    "another proposer": fc
      .tuple(fc.constantFrom(...members_), at)
      .map(([member, n]) =>
        changed({ [member]: { ...honest[member], proposer_index: honest[member].proposer_index + 1 + n } })
      ),
    "a branch of another length": fc.tuple(at, fc.boolean()).map(([n, isLonger]) =>
      changed({
        finality_branch: isLonger
          ? [...honest.finality_branch, "00".repeat(32)]
          : honest.finality_branch.toSpliced(n % honest.finality_branch.length, 1)
      })
    ),
    "another block": at.map((n) => documentOf(honest, { ...block, number: n })),
    "a bit of the header": at.map((n) => documentOf(honest, { ...block, header: flipped(block.header, n) })),
    "a final block of the forger": at.map((n) => {
      const { final, hash: finalHash } = historyOf(1_000_001 + n, hash)
      return changed({ final, execution: { ...honest.execution, hash: finalHash } })
    }),
    "a member more": at.map((n) => changed({ [`member${n}`]: n } as Partial<SyncEvidence>))
  }

  it("are made of what is accepted", () => {
    assert.isTrue(isAccepted(documentOf(honest)))
    assert.isTrue(isAccepted(documentOf(leading)))
  })

  it.each(Object.entries(forged))("with %s are not accepted", { timeout: 120_000 }, (_, documents) => {
    fc.assert(
      fc.property(documents, (document) => !isAccepted(document)),
      { numRuns: 100 }
    )
  })
})
