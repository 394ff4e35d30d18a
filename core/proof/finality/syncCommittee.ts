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
  type Attested,
  attestedMembers,
  type Committee,
  committeeRoot,
  demandAttested,
  members,
  periodOf
} from "./attested.ts"
import { type Beacon, type BeaconHeader, beaconHeader, beacons, forkAt, headerRoot } from "./beacon.ts"
import type { ChainFinality } from "./document.ts"
import { demandNext, type Named, type NextCommittee, nextCommittee, periodsTo } from "./nextCommittee.ts"
import { type Rule, Untrusted } from "./rule.ts"
import { demandBranch } from "./ssz.ts"

/** The final execution block, and that its state has the hash of an earlier one, which Ethereum keeps for 8,191 blocks (EIP-2935). */
export interface FinalBlock {
  readonly number: number
  /** Hex, as of a proof. */
  readonly header: string
  /** Nodes that lead from its state to the slot of the earlier block, hex. */
  readonly nodes: ReadonlyArray<string>
}

export interface SyncEvidence extends Attested {
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
  /** The hash of the final execution block, and from it to the body of the final block. */
  readonly execution: { readonly hash: string; readonly branch: ReadonlyArray<string> }
  /** Who is in the committee of the next period, where the node had that signed already. */
  readonly next?: NextCommittee
  /** Absent where the block is the final one itself. */
  readonly final?: FinalBlock
}

export const syncKind = "sync-committee"

const branch = s.listOf(s.hash)

const shape: s.Shape<SyncEvidence> = {
  kind: s.oneOf(syncKind),
  header: beaconHeader,
  committee: s.nested<SyncEvidence["committee"]>("a committee", { keys: s.text, aggregate: s.text, branch }),
  ...attestedMembers,
  execution: s.nested<SyncEvidence["execution"]>("the execution block", { hash: s.hash, branch }),
  next: s.optional(nextCommittee),
  final: s.optional(
    s.nested<FinalBlock>("the final block", { number: s.count, header: s.text, nodes: s.listOf(s.text) })
  )
}

/** The keys of the committee, which the state of its block has. Throws `Malformed`. */
const committeeOf = (
  { committee, header }: Pick<SyncEvidence, "committee" | "header">,
  beacon: Beacon
): Committee & { readonly root: Uint8Array } => {
  const all = exactly("the keys of a committee", committee.keys, members * 48)
  const keys = Array.from({ length: members }, (_, at) => all.subarray(at * 48, at * 48 + 48))
  const aggregate = exactly("the sum of the keys", committee.aggregate, 48)
  const root = committeeRoot({ keys, aggregate })
  demandBranch(
    "the committee",
    root,
    committee.branch,
    forkAt(beacon, header.slot).committee,
    fromHex(header.state_root)
  )
  return { period: periodOf(header.slot), keys, aggregate, root }
}

interface Signed extends Named {
  /** Of the final execution block, hex. */
  readonly hash: string
  readonly signers: number
}

/** The hash of the final execution block by the evidence, and who signed it. Throws `Malformed`. */
export const demandFinal = (evidence: SyncEvidence, beacon: Beacon): Signed => {
  const { execution, finalized, header, next } = evidence
  const committee = committeeOf(evidence, beacon)
  demandBranch(
    "the execution block",
    fromHex(execution.hash),
    execution.branch,
    forkAt(beacon, finalized.slot).execution,
    fromHex(finalized.body_root)
  )
  const signers = demandAttested(evidence, committee, beacon)
  if (next !== undefined) demandNext(next, committee, beacon)
  return {
    hash: execution.hash,
    signers,
    root: toHex(headerRoot(header)),
    period: committee.period,
    committee: toHex(committee.root),
    next: next?.committee
  }
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
  holds: (target, trusted, before) => {
    const signed = demandSigned(target)
    const earlier = before.map((one) => {
      demand(
        one.block.number < target.block.number,
        `block ${one.block.number} is not before block ${target.block.number}`,
        "contradiction"
      )
      return demandSigned(one)
    })
    const { root, signers } = signed
    const says = `${signers} of ${members} members of the sync committee of block ${root} of the beacon chain signed that block ${target.block.number} is final`
    const periods = periodsTo(signed, earlier, trusted)
    if (periods === undefined)
      throw new Untrusted(
        `${says}; ${trusted.length === 0 ? "nobody but this document says that the beacon chain has this block: if you know its root from elsewhere, name it" : "that block is none that you trust, and no committees between lead to it"}`
      )
    if (periods === 0)
      return `${says}; you trust ${trusted.includes(root) ? "that block" : "another block with that committee"}`
    return `${says}; you trust a block ${periods === 1 ? "one period" : `${periods} periods`} before, whose committee signed who is in the next${periods === 1 ? "" : ", and so on"}`
  }
}
