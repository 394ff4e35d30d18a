/** A beacon chain whose sync committee really signs, with keys of BLS12-381 that are the numbers from 1 to 512. */
import { bls12_381 } from "@noble/curves/bls12-381.js"
import { sha256 } from "@noble/hashes/sha2.js"
import { concat, fromHex, toHex, utf8 } from "../../../core/proof/bytes.ts"
import { type BeaconHeader, beacons, headerRoot, signingRoot } from "../../../core/proof/finality/beacon.ts"
import { pair, rootOver } from "../../../core/proof/finality/ssz.ts"
import type { SyncEvidence } from "../../../core/proof/finality/syncCommittee.ts"
import { payloadBranch } from "../../../core/proof/finality/syncRead.ts"

const { longSignatures } = bls12_381
const tag = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"

/** The key whose secret is this number. */
const keyOf = (secret: bigint): Uint8Array => bls12_381.G1.Point.BASE.multiply(secret).toBytes(true)

export const members = 512

/** The keys of the committee. */
export const keys: ReadonlyArray<Uint8Array> = Array.from({ length: members }, (_, at) =>
  keyOf(BigInt(at + 1))
)

const sumOf = (places: ReadonlyArray<number>): bigint => places.reduce((sum, at) => sum + BigInt(at + 1), 0n)

const places = Array.from({ length: members }, (_, at) => at)

/** The signature of a message by those at these places. */
export const signedBy = (at: ReadonlyArray<number>, message: Uint8Array): Uint8Array =>
  longSignatures.hash(message, tag).multiply(sumOf(at)).toBytes(true)

const bitsOf = (at: ReadonlyArray<number>): string => {
  const bits = new Uint8Array(members / 8)
  for (const place of at) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
  return toHex(bits)
}

/** A tree in which a leaf stands at a generalized index: the branch, and the root. */
const treeWith = (name: string, leaf: Uint8Array, index: number, nodes?: ReadonlyArray<string>) => {
  const branch =
    nodes?.map((node) => fromHex(node)) ??
    Array.from({ length: index.toString(2).length - 1 }, (_, at) => sha256(utf8(`${name} ${at}`)))
  const root = branch.reduce(
    (hash, node, at) => (((index >> at) & 1) === 1 ? pair(node, hash) : pair(hash, node)),
    leaf
  )
  return { branch: branch.map(toHex), root: toHex(root) }
}

const keyRoot = (key: Uint8Array): Uint8Array =>
  pair(key.subarray(0, 32), concat(key.subarray(32), new Uint8Array(16)))

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
}

const fulu = [13_170_016, 13_170_400, 13_170_336, 13_170_401] as const

/** Where things stand in the trees since Electra. */
const electra = { committee: 86, finalized: 169, execution: 812 }

/** The evidence of a committee that all, or some, signed of a final block with this hash. */
export const signedFinal = (
  hash: string,
  { branch, claimed, signers = places, slots = fulu, version }: Signing = {}
): SyncEvidence => {
  const beacon = beacons.get("eip155:1")
  if (beacon === undefined) throw new Error("no beacon chain")
  const aggregate = keyOf(sumOf(places))
  const committee = treeWith(
    "committee",
    pair(rootOver(keys.map(keyRoot), members), keyRoot(aggregate)),
    electra.committee
  )
  const execution = treeWith("execution", fromHex(hash), electra.execution, branch)
  const root = (name: string) => toHex(sha256(utf8(name)))
  const headerWith = (name: string, slot: number, more: Partial<BeaconHeader>): BeaconHeader => ({
    slot,
    proposer_index: slot % 1000,
    parent_root: root(`${name} parent`),
    state_root: root(`${name} state`),
    body_root: root(`${name} body`),
    ...more
  })
  const header = headerWith("header", slots[0], { state_root: committee.root })
  const finalized = headerWith("finalized", slots[2], { body_root: execution.root })
  const finality = treeWith("finality", headerRoot(finalized), electra.finalized)
  const attested = headerWith("attested", slots[1], { state_root: finality.root })
  const signed =
    version === undefined ? beacon : { ...beacon, forks: beacon.forks.map((fork) => ({ ...fork, version })) }
  return {
    kind: "sync-committee",
    header,
    committee: { keys: toHex(concat(...keys)), aggregate: toHex(aggregate), branch: committee.branch },
    attested,
    finalized,
    finality_branch: finality.branch,
    execution: { hash, branch: execution.branch },
    bits: bitsOf(claimed ?? signers),
    signature: toHex(signedBy(signers, signingRoot(signed, attested, slots[3]))),
    signature_slot: slots[3]
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

/** What the API of the beacon chain answers when the committee signed that a block is final, and the root by which a reader trusts it. */
export const beaconApi = (number: number, hash: string, signing: Signing = {}) => {
  const execution = toldPayload(number, hash)
  const above = Array.from({ length: 4 }, (_, at) => toHex(sha256(utf8(`above ${at}`))))
  const { branch } = payloadBranch(execution)
  const evidence = signedFinal(hash, { ...signing, branch: [...branch, ...above] })
  const { aggregate, branch: ofCommittee } = evidence.committee
  return {
    trusted: rootOf(evidence),
    bootstrap: {
      header: servedHeader(evidence.header),
      current_sync_committee: {
        pubkeys: keys.map((key) => `0x${toHex(key)}`),
        aggregate_pubkey: `0x${aggregate}`
      },
      current_sync_committee_branch: hexes(ofCommittee)
    },
    update: {
      attested_header: servedHeader(evidence.attested),
      finalized_header: { ...servedHeader(evidence.finalized), execution, execution_branch: hexes(above) },
      finality_branch: hexes(evidence.finality_branch),
      sync_aggregate: {
        sync_committee_bits: `0x${evidence.bits}`,
        sync_committee_signature: `0x${evidence.signature}`
      },
      signature_slot: String(evidence.signature_slot)
    }
  }
}
