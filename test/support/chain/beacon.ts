/**
 * A beacon chain whose sync committees really sign, with keys of BLS12-381: those of the first are the numbers from 1 to 512, and those of
 * the next as many more.
 */
import { bls12_381 } from "@noble/curves/bls12-381.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, fromHex, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { type Attested, committeeRoot, members, periodOf } from "../../../core/proof/finality/attested.ts"
import {
  type BeaconHeader,
  beacons,
  headerRoot,
  signingRoot,
  slotsOfPeriod
} from "../../../core/proof/finality/beacon.ts"
import type { NextCommittee } from "../../../core/proof/finality/nextCommittee.ts"
import { pair } from "../../../core/proof/finality/ssz.ts"
import type { SyncEvidence } from "../../../core/proof/finality/syncCommittee.ts"
import { payloadBranch } from "../../../core/proof/finality/syncRead.ts"

const { longSignatures } = bls12_381
const tag = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"

/** The key whose secret is this number. */
const keyOf = (secret: bigint): Uint8Array => bls12_381.G1.Point.BASE.multiply(secret).toBytes(true)

const places = Array.from({ length: members }, (_, at) => at)

/** The secret of a member of a committee, of which 0 is the first. */
const secretOf = (committee: number, at: number): bigint => BigInt(committee * members + at + 1)

const sumOf = (committee: number, at: ReadonlyArray<number>): bigint =>
  at.reduce((sum, place) => sum + secretOf(committee, place), 0n)

const committees = new Map<
  number,
  { readonly keys: ReadonlyArray<Uint8Array>; readonly aggregate: Uint8Array }
>()

/** The keys of a committee, and their sum. */
export const committeeOf = (committee: number) => {
  const built = committees.get(committee) ?? {
    keys: places.map((at) => keyOf(secretOf(committee, at))),
    aggregate: keyOf(sumOf(committee, places))
  }
  committees.set(committee, built)
  return built
}

/** The signature of a message by those of a committee at these places. */
const signedBy = (committee: number, at: ReadonlyArray<number>, message: Uint8Array): Uint8Array =>
  longSignatures.hash(message, tag).multiply(sumOf(committee, at)).toBytes(true)

const bitsOf = (at: ReadonlyArray<number>): string => {
  const bits = new Uint8Array(members / 8)
  for (const place of at) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
  return toHex(bits)
}

/** A tree with these leaves at their generalized indices. */
const treeWith = (name: string, leaves: ReadonlyArray<readonly [index: number, leaf: Uint8Array]>) => {
  const nodeAt = (at: number): Uint8Array => {
    const [, leaf] = leaves.find(([index]) => index === at) ?? []
    if (leaf !== undefined) return leaf
    return leaves.some(([index]) => index.toString(2).startsWith(at.toString(2)))
      ? pair(nodeAt(2 * at), nodeAt(2 * at + 1))
      : sha256(utf8(`${name} ${at}`))
  }
  const branchOf = (index: number): ReadonlyArray<string> =>
    Array.from({ length: index.toString(2).length - 1 }, (_, up) => toHex(nodeAt((index >> up) ^ 1)))
  return { root: toHex(nodeAt(1)), branchOf }
}

/** The root that a branch leads to from a leaf at a generalized index. */
const rootBy = (leaf: Uint8Array, index: number, branch: ReadonlyArray<string>): string =>
  toHex(
    branch
      .map((node) => fromHex(node))
      .reduce((hash, node, at) => (((index >> at) & 1) === 1 ? pair(node, hash) : pair(hash, node)), leaf)
  )

/** Numbers that a scenario may change. */
export interface Signing {
  /** Slots: of the block with the committee, of what was signed, of the final block, and of the signature. */
  readonly slots?: readonly [header: number, attested: number, finalized: number, signature: number]
  /** Who signs. */
  readonly signers?: ReadonlyArray<number>
  /** Who is said to sign. */
  readonly claimed?: ReadonlyArray<number>
  /** The version of the fork that is signed, hex. */
  readonly version?: string
  /** From the hash of the execution block to the body. */
  readonly branch?: ReadonlyArray<string>
  /** Which committee the state has, and which signs. */
  readonly committee?: number
  readonly signs?: number
  /** Who is in the next one, where that is told. */
  readonly next?: NextSigning
}

/** How a committee signed who is in the next one. */
export interface NextSigning extends Pick<Signing, "claimed" | "signers" | "signs"> {
  readonly committee: number
  /** Slots: of what was signed, of the final block, and of the signature. */
  readonly slots?: readonly [attested: number, finalized: number, signature: number]
}

const fulu = [13_170_016, 13_170_400, 13_170_336, 13_170_401] as const

/** Where things stand in the trees since Electra, by the consensus specifications: of no real block of those forks is the data here. */
export const electra = { committee: 86, next: 87, finalized: 169, execution: 812 }

const root = (name: string) => toHex(sha256(utf8(name)))

const headerWith = (name: string, slot: number, more: Partial<BeaconHeader>): BeaconHeader => ({
  slot,
  proposer_index: slot % 1000,
  parent_root: root(`${name} parent`),
  state_root: root(`${name} state`),
  body_root: root(`${name} body`),
  ...more
})

/** What those at some places of a committee signed: a block whose state has a final one, and the next committee. */
const attestedBy = (
  signs: number,
  finalized: BeaconHeader,
  [attestedSlot, signatureSlot]: readonly [attested: number, signature: number],
  next: Uint8Array,
  { claimed, signers = places, version }: Pick<Signing, "claimed" | "signers" | "version">
): { readonly statement: Attested; readonly branch: ReadonlyArray<string> } => {
  const beacon = beacons.get("eip155:1")
  if (beacon === undefined) throw new Error("no beacon chain")
  const state = treeWith("state", [
    [electra.finalized, headerRoot(finalized)],
    [electra.next, next]
  ])
  const attested = headerWith("attested", attestedSlot, { state_root: state.root })
  const signed =
    version === undefined ? beacon : { ...beacon, forks: beacon.forks.map((fork) => ({ ...fork, version })) }
  const statement = {
    attested,
    finalized,
    finality_branch: state.branchOf(electra.finalized),
    bits: bitsOf(claimed ?? signers),
    signature: toHex(signedBy(signs, signers, signingRoot(signed, attested, signatureSlot))),
    signature_slot: signatureSlot
  }
  return { statement, branch: state.branchOf(electra.next) }
}

/** Who is in the next committee, as one signed it. */
const nextBy = (period: number, signs: number, next: NextSigning): NextCommittee => {
  const start = period * slotsOfPeriod
  const { committee, slots = [start + 200, start + 100, start + 201] } = next
  const root = committeeRoot(committeeOf(committee))
  const finalized = headerWith("finalized before", slots[1], {})
  const { branch, statement } = attestedBy(next.signs ?? signs, finalized, [slots[0], slots[2]], root, next)
  return { ...statement, committee: toHex(root), branch }
}

/** The evidence of a committee that all, or some, signed of a final block with this hash. */
export const signedFinal = (hash: string, signing: Signing = {}): SyncEvidence => {
  const { branch, committee: at = 0, next, signs = at, slots = fulu } = signing
  const committee = committeeOf(at)
  const state = treeWith("committee", [[electra.committee, committeeRoot(committee)]])
  const ofExecution =
    branch ?? treeWith("execution", [[electra.execution, fromHex(hash)]]).branchOf(electra.execution)
  const header = headerWith("header", slots[0], { state_root: state.root })
  const finalized = headerWith("finalized", slots[2], {
    body_root: rootBy(fromHex(hash), electra.execution, ofExecution)
  })
  const { statement } = attestedBy(signs, finalized, [slots[1], slots[3]], new Uint8Array(32), signing)
  return {
    kind: "sync-committee",
    header,
    committee: {
      keys: toHex(concat(...committee.keys)),
      aggregate: toHex(committee.aggregate),
      branch: state.branchOf(electra.committee)
    },
    ...statement,
    execution: { hash, branch: ofExecution },
    ...(next === undefined ? {} : { next: nextBy(periodOf(slots[0]), signs, next) })
  }
}

/** The root by which a reader names whom he trusts. */
export const rootOf = ({ header }: SyncEvidence): string => toHex(headerRoot(header))

/** The members of an execution payload's header with this hash, as nodes tell them. */
const toldPayload = (number: number, hash: string): Readonly<Record<string, string>> => {
  const root = (name: string) => `0x${toHex(sha256(utf8(`${name} of ${hash}`)))}`
  return {
    parent_hash: root("parent"),
    fee_recipient: root("recipient").slice(0, 42),
    state_root: root("state"),
    receipts_root: root("receipts"),
    logs_bloom: `0x${"00".repeat(256)}`,
    prev_randao: root("randao"),
    block_number: String(number),
    gas_limit: "30000000",
    gas_used: "0",
    timestamp: "1790000000",
    extra_data: "0x",
    base_fee_per_gas: "7",
    block_hash: `0x${hash}`,
    transactions_root: root("transactions"),
    withdrawals_root: root("withdrawals"),
    blob_gas_used: "0",
    excess_blob_gas: "0"
  }
}

const servedHeader = ({ body_root, parent_root, proposer_index, slot, state_root }: BeaconHeader) => ({
  beacon: {
    slot: String(slot),
    proposer_index: String(proposer_index),
    parent_root: `0x${parent_root}`,
    state_root: `0x${state_root}`,
    body_root: `0x${body_root}`
  }
})

const hexes = (list: ReadonlyArray<string>): ReadonlyArray<string> => list.map((one) => `0x${one}`)

const servedCommittee = (committee: number) => {
  const { aggregate, keys } = committeeOf(committee)
  return { pubkeys: hexes(keys.map(toHex)), aggregate_pubkey: `0x${toHex(aggregate)}` }
}

const servedAttested = (statement: Attested) => ({
  attested_header: servedHeader(statement.attested),
  finality_branch: hexes(statement.finality_branch),
  sync_aggregate: {
    sync_committee_bits: `0x${statement.bits}`,
    sync_committee_signature: `0x${statement.signature}`
  },
  signature_slot: String(statement.signature_slot)
})

/** What the API of the beacon chain answers when the committee signed that a block is final, and the root by which a reader trusts it. */
export const beaconApi = (number: number, hash: string, signing: Signing = {}) => {
  const execution = toldPayload(number, hash)
  const above = Array.from({ length: 4 }, (_, at) => toHex(sha256(utf8(`above ${at}`))))
  const { branch } = payloadBranch(execution)
  const evidence = signedFinal(hash, { ...signing, branch: [...branch, ...above] })
  const { next } = evidence
  return {
    trusted: rootOf(evidence),
    bootstrap: {
      header: servedHeader(evidence.header),
      current_sync_committee: servedCommittee(signing.committee ?? 0),
      current_sync_committee_branch: hexes(evidence.committee.branch)
    },
    update: {
      ...servedAttested(evidence),
      finalized_header: { ...servedHeader(evidence.finalized), execution, execution_branch: hexes(above) }
    },
    /** One of `updates`, of the period of the block. */
    periods:
      next === undefined
        ? []
        : [
            {
              version: "fulu",
              data: {
                ...servedAttested(next),
                finalized_header: servedHeader(next.finalized),
                next_sync_committee: servedCommittee(signing.next?.committee ?? 0),
                next_sync_committee_branch: hexes(next.branch)
              }
            }
          ]
  }
}
