/**
 * What the consensus of a chain itself says of one block: who signed it. A reader who trusts those who sign checks it alone, and needs no
 * operator's word. Log entries of kind `chain-finality` commit to a document for each block, which dates the signatures.
 */
import { Malformed } from "../bytes.ts"
import { canonical, isRecord, parseCanonical } from "../canonical.ts"
import { type ChainProof, chainBlock } from "../chain/document.ts"
import * as s from "../shape.ts"
import { checkTag, type Tag } from "../tag.ts"

export const finalityTag = "service-chain-finality-v1"
export const finalityKind = "chain-finality"

/** Who signed, by its kind: the other members are the kind's. */
export interface EvidenceDocument {
  readonly kind: string
}

export interface ChainFinality {
  readonly v: Tag<typeof finalityTag>
  /** The day whose proofs name the block. */
  readonly day: string
  /** CAIP-2. */
  readonly chain: string
  readonly block: ChainProof["block"]
  readonly evidence: EvidenceDocument
  readonly simulated?: true
}

/** Characters of a document: a commit of 300 validators has 85,000. */
const longest = 2 * 1024 * 1024

const evidence: s.Member<EvidenceDocument> = {
  is: (value): value is EvidenceDocument => isRecord(value) && typeof value["kind"] === "string",
  says: "an object with a `kind`",
  optional: false
}

const shape: s.Shape<ChainFinality> = {
  v: s.oneOf<ChainFinality["v"]>(finalityTag, `${finalityTag}-demo`),
  day: s.day,
  chain: s.network,
  block: chainBlock,
  evidence,
  simulated: s.optional(s.trueOrAbsent)
}

const check = (value: unknown): ChainFinality => {
  const document = s.readShape("a document of finality", value, shape)
  checkTag(document, finalityTag)
  return document
}

/** The document's text. Throws `Malformed` if it is not valid. */
export const finalityText = (document: ChainFinality): string => canonical(check(document))

/** Parses the document, which must be canonical JSON. Throws `Malformed`, and `Newer` for a later version. Its evidence is for `verifyFinality.ts` to read. */
export const parseFinality = (text: string): ChainFinality => {
  if (text.length > longest)
    throw new Malformed(`a document of finality must have at most ${longest} characters`)
  return check(parseCanonical(text))
}

/** Subject of the document's log entry: its day, its chain and the number of the block. */
export const finalitySubject = ({
  block,
  chain,
  day
}: Pick<ChainFinality, "chain" | "day"> & { readonly block: Pick<ChainProof["block"], "number"> }): string =>
  `${day} ${chain} ${block.number}`
