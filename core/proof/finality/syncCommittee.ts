/** The sync committee of Ethereum's beacon chain: that two thirds of it signed a block whose state has a final one (Altair's light client). */
import { fromHex, Malformed, toHex } from "../bytes.ts"
import { headerOf } from "../chain/blockHeader.ts"
import { type ChainProof, chainProofTag } from "../chain/document.ts"
import { evm } from "../chain/evm.ts"
import { exactly } from "../chain/hexes.ts"
import { verifyProof } from "../chain/verifyProof.ts"
import { demand } from "../check.ts"
import * as s from "../shape.ts"
import {
  type Beacon,
  type BeaconHeader,
  beaconHeader,
  beacons,
  forkAt,
  headerRoot,
  signingRoot,
  slotsOfPeriod
} from "./beacon.ts"
import { demandSignature, keyOf } from "./bls.ts"
import type { ChainFinality } from "./document.ts"
import { type Rule, Untrusted } from "./rule.ts"
import { chunk, demandBranch, pair, rootOver } from "./ssz.ts"

/** The final execution block, and that its state has the hash of an earlier one, which Ethereum keeps for 8,191 blocks (EIP-2935). */
export interface FinalBlock {
  readonly number: number
  /** Hex, as of a proof. */
  readonly header: string
  /** Nodes that lead from its state to the slot of the earlier block, hex. */
  readonly nodes: ReadonlyArray<string>
}

export interface SyncEvidence {
  readonly kind: "sync-committee"
  /** A block of the beacon chain, whose root the reader may trust, and the committee of its period. */
  readonly header: BeaconHeader
  readonly committee: {
    /** 512 keys of 48 bytes one after the other, hex. */
    readonly keys: string
    /** Their sum, 48 bytes, hex. */
    readonly aggregate: string
    /** From its root to the header's state. */
    readonly branch: ReadonlyArray<string>
  }
  /** What the committee signed. */
  readonly attested: BeaconHeader
  readonly finalized: BeaconHeader
  /** From the root of the final block to the attested state. */
  readonly finality_branch: ReadonlyArray<string>
  /** The hash of the final execution block, and from it to the body of the final block. */
  readonly execution: { readonly hash: string; readonly branch: ReadonlyArray<string> }
  /** Who signed: a bit of each key, hex. */
  readonly bits: string
  readonly signature: string
  readonly signature_slot: number
  /** Absent where the block is the final one itself. */
  readonly final?: FinalBlock
}

export const syncKind = "sync-committee"

const members = 512

const branch = s.listOf(s.hash)

const shape: s.Shape<SyncEvidence> = {
  kind: s.oneOf(syncKind),
  header: beaconHeader,
  committee: s.nested<SyncEvidence["committee"]>("a committee", { keys: s.text, aggregate: s.text, branch }),
  attested: beaconHeader,
  finalized: beaconHeader,
  finality_branch: branch,
  execution: s.nested<SyncEvidence["execution"]>("the execution block", { hash: s.hash, branch }),
  bits: s.text,
  signature: s.text,
  signature_slot: s.count,
  final: s.optional(
    s.nested<FinalBlock>("the final block", { number: s.count, header: s.text, nodes: s.listOf(s.text) })
  )
}

const keyRoot = (key: Uint8Array): Uint8Array => pair(key.subarray(0, 32), chunk(key.subarray(32)))

/** The keys of the committee, which the state of its block has. Throws `Malformed`. */
const demandCommittee = (
  { committee, header }: Pick<SyncEvidence, "committee" | "header">,
  beacon: Beacon
): { readonly keys: ReadonlyArray<Uint8Array>; readonly aggregate: Uint8Array } => {
  const all = exactly("the keys of a committee", committee.keys, members * 48)
  const keys = Array.from({ length: members }, (_, at) => all.subarray(at * 48, at * 48 + 48))
  const aggregate = exactly("the sum of the keys", committee.aggregate, 48)
  demandBranch(
    "the committee",
    pair(rootOver(keys.map(keyRoot), members), keyRoot(aggregate)),
    committee.branch,
    forkAt(beacon, header.slot).committee,
    fromHex(header.state_root)
  )
  return { keys, aggregate }
}

const periodOf = (slot: number): number => Math.floor(slot / slotsOfPeriod)

const demandSlots = ({ attested, finalized, header, signature_slot }: SyncEvidence): void => {
  demand(
    periodOf(signature_slot) === periodOf(header.slot),
    "the signature is of the period of another committee",
    "contradiction"
  )
  demand(
    signature_slot > attested.slot && attested.slot >= finalized.slot,
    "the slots are out of order",
    "contradiction"
  )
}

interface Signed {
  /** Of the final execution block, hex. */
  readonly hash: string
  readonly signers: number
  /** Of the block whose committee signed, hex. */
  readonly root: string
}

/** The hash of the final execution block by the evidence, and how many signed. Throws `Malformed`. */
export const demandFinal = (evidence: SyncEvidence, beacon: Beacon): Signed => {
  const { attested, execution, finality_branch, finalized, header, signature, signature_slot } = evidence
  demandSlots(evidence)
  const { aggregate, keys } = demandCommittee(evidence, beacon)
  const bits = exactly("the bits of who signed", evidence.bits, members / 8)
  const absent = keys.filter((_, at) => (((bits[at >> 3] ?? 0) >> (at & 7)) & 1) === 0)
  const signers = members - absent.length
  demand(signers * 3 >= members * 2, `${signers} of ${members} signed, and two thirds must`, "missing")
  demandBranch(
    "the final block",
    headerRoot(finalized),
    finality_branch,
    forkAt(beacon, attested.slot).finalized,
    fromHex(attested.state_root)
  )
  demandBranch(
    "the execution block",
    fromHex(execution.hash),
    execution.branch,
    forkAt(beacon, finalized.slot).execution,
    fromHex(finalized.body_root)
  )
  demandSignature(
    // The sum of all is in the state, too: what few did not sign is sooner taken away than what many signed is added.
    absent.length * 2 < members
      ? keyOf([aggregate], absent)
      : keyOf(
          keys.filter((key) => !absent.includes(key)),
          []
        ),
    signingRoot(beacon, attested, signature_slot),
    exactly("a signature", signature, 96)
  )
  return { hash: execution.hash, signers, root: toHex(headerRoot(header)) }
}

/** The contract that keeps the hashes of blocks, and for how many (EIP-2935). */
export const historyAccount = "0000f90827f1c53a10cb7a02335b175320002935"
const historyLength = 8191

/** The slot of its storage that has the hash of a block, hex. */
export const historySlot = (number: number): string => (number % historyLength).toString(16).padStart(64, "0")

/** What a final block says of an earlier one, as a proof of its state. */
const historyProof = (
  chain: string,
  hash: string,
  { header, nodes, number }: FinalBlock,
  earlier: { readonly number: number; readonly hash: string }
): ChainProof => {
  const slotClaim = {
    kind: "evm-slot",
    account: historyAccount,
    slot: historySlot(earlier.number),
    value: BigInt(`0x${earlier.hash}`).toString()
  }
  return { v: chainProofTag, chain, block: { number, hash, header }, nodes, codes: [], claims: [slotClaim] }
}

/** Throws `Malformed` unless the final block is the document's, or has its hash in its state. */
const demandBlock = ({ block, chain }: ChainFinality, { final }: SyncEvidence, hash: string): void => {
  if (final === undefined) {
    demand(hash === block.hash, "the final block is another one", "contradiction")
    return
  }
  demand(
    final.number > block.number && final.number - block.number <= historyLength,
    `block ${final.number} does not keep the hash of block ${block.number}`,
    "contradiction"
  )
  const [first, second] = verifyProof([evm], historyProof(chain, hash, final, block))
  const broken = [first, second].find((one) => one?.ok !== true)
  if (broken !== undefined)
    throw new Malformed(`the final block does not have the hash of this one: ${broken.detail}`, broken.reason)
}

const demandSigned = (document: ChainFinality): Signed => {
  const beacon = beacons.get(document.chain)
  if (beacon === undefined)
    throw new Malformed(`the sync committee makes no block of ${document.chain} final`, "origin")
  headerOf(evm, document)
  const evidence = s.readShape<SyncEvidence>("evidence of a sync committee", document.evidence, shape)
  const final = demandFinal(evidence, beacon)
  demandBlock(document, evidence, final.hash)
  return final
}

export const syncCommittee: Rule = {
  kind: syncKind,
  namespace: "eip155",
  by: "the sync committee",
  demandSigned,
  holds: (target, trusted) => {
    const { root, signers } = demandSigned(target)
    const says = `${signers} of ${members} members of the sync committee of block ${root} of the beacon chain signed that block ${target.block.number} is final`
    if (!trusted.includes(root))
      throw new Untrusted(
        `${says}; ${trusted.length === 0 ? "nobody but this document says that the beacon chain has this block: if you know its root from elsewhere, name it" : "that block is none that you trust"}`
      )
    return `${says}; you trust that block`
  }
}
