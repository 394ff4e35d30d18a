/** Checks who signed the block of a value's proof on its chain, as a bundle has it. Whether the reader trusts those is his to say. */
import { CouldNotLook } from "./bytes.ts"
import { type ChainProof, chainProofShape } from "./chain/document.ts"
import type { ChainEvidence, DemandLater, FinalityChecks } from "./chainEvidence.ts"
import { demand, notChecked, notProved, reading } from "./check.ts"
import { type ChainFinality, finalityKind, finalitySubject, parseFinality } from "./finality/document.ts"
import { verifyFinality } from "./finality/verifyFinality.ts"
import type { Reason } from "./reason.ts"
import { readShape } from "./shape.ts"
import type { LaterDocument } from "./verifyLater.ts"

/** Whom a reader trusts to sign blocks of chains, and what he has of it himself. */
export interface ChainSigners {
  /** Hashes by which he names them (`finality/rule.ts`). */
  readonly trusted?: ReadonlyArray<string>
  /** Documents of the block, or of earlier ones, from whose signers they lead to those of this one. */
  readonly documents?: ReadonlyArray<ChainFinality>
  /** He asks it of this value: without that, what is not proved of it is not checked. */
  readonly isDemanded?: boolean
}

const name = "block signed on the chain"

const withoutHead: DemandLater = () => {
  throw new CouldNotLook("there is no head that the bundle is under")
}

const proofIn = ({ proof }: ChainEvidence): ChainProof =>
  readShape("the proof of a chain", proof, chainProofShape)

/** The document in a bundle, which the log has, and which is of the proof's block. Throws `Malformed`. */
const documentIn = (
  member: LaterDocument,
  { block, chain }: ChainProof,
  demandLater: DemandLater
): ChainFinality => {
  const document = parseFinality(member.document)
  demandLater(member, {
    kind: finalityKind,
    subject: finalitySubject(document),
    simulated: document.simulated,
    words: "the document of finality"
  })
  demand(
    document.chain === chain && document.block.number === block.number,
    `the document of finality is of block ${document.block.number} of ${document.chain}`,
    "contradiction"
  )
  return document
}

/** What is said where it is neither proved nor refuted that those signed whom a reader trusts. */
const left = (detail: string, reason: Reason, { isDemanded = false, trusted = [] }: ChainSigners) => {
  if (isDemanded) return notProved(name, detail, reason)
  return notChecked(name, detail, reason === "key" && trusted.length === 0 ? "unasked" : reason)
}

/** Who signed, by those whom a reader trusts. */
export const finalityChecksBy =
  (signers: ChainSigners): FinalityChecks =>
  (member, chain, demandLater = withoutHead) => {
    const { documents = [], trusted = [] } = signers
    if (chain === undefined) return [left("the bundle has no chain's proof of its value", "missing", signers)]
    const read = reading(
      name,
      () => {
        const proof = proofIn(chain)
        if (member === undefined) return { proof, documents }
        const own = documentIn(member, proof, demandLater)
        return {
          proof,
          documents: [own, ...documents.filter(({ block }) => block.number !== own.block.number)]
        }
      },
      () => ""
    )
    if (read.value === undefined) return [read.check]
    const { check } = verifyFinality(read.value.proof, read.value.documents, trusted)
    const at = member === undefined ? "" : `; this log has it in entry ${member.log.index}`
    const detail = `${check.detail}${at}`
    return [check.ok === "not proved" ? left(detail, check.reason, signers) : { ...check, name, detail }]
  }
