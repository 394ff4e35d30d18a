/**
 * The document of a chain's proof: one block, the nodes that lead from its state root to what was read there, and what was read. It has
 * one form only, so that its hash names it.
 */
import { Malformed } from "../bytes.ts"
import { canonical, isRecord, parseCanonical } from "../canonical.ts"
import { demand } from "../check.ts"
import * as s from "../shape.ts"
import { checkTag, type Tag } from "../tag.ts"
import { bounds } from "./bounds.ts"

export const chainProofTag = "service-chain-proof-v1"

/** What was read, by its kind: the other members are the kind's. */
export interface ClaimDocument {
  readonly kind: string
}

export interface ChainProof {
  readonly v: Tag<typeof chainProofTag>
  /** CAIP-2. Nothing in a header says it: without who says that the block is one of the chain it is a name only. */
  readonly chain: string
  readonly block: {
    readonly number: number
    /** As the chain computes it, hex. */
    readonly hash: string
    /** The encoded header, hex. */
    readonly header: string
  }
  /** Nodes of tries, hex, in the order of their hash. */
  readonly nodes: ReadonlyArray<string>
  /** Codes of contracts, hex, in the order of their hash. */
  readonly codes: ReadonlyArray<string>
  /** In the order of their canonical text. */
  readonly claims: ReadonlyArray<ClaimDocument>
  readonly simulated?: true
}

const claim: s.Member<ClaimDocument> = {
  is: (value): value is ClaimDocument => isRecord(value) && typeof value["kind"] === "string",
  says: "an object with a `kind`",
  optional: false
}

/** A block of a document: the number, the hash as the chain computes it, and the encoded header. */
export const chainBlock = s.nested<ChainProof["block"]>("the block", {
  number: s.count,
  hash: s.hash,
  header: s.text
})

export const chainProofShape: s.Shape<ChainProof> = {
  v: s.oneOf<ChainProof["v"]>(chainProofTag, `${chainProofTag}-demo`),
  chain: s.network,
  block: chainBlock,
  nodes: s.listOf(s.text),
  codes: s.listOf(s.text),
  claims: s.listOf(claim),
  simulated: s.optional(s.trueOrAbsent)
}

const demandOrder = (claims: ReadonlyArray<unknown>): void => {
  demand(claims.length > 0, "a proof must have a claim")
  demand(claims.length <= bounds.claims, `a proof must have at most ${bounds.claims} claims`)
  let last = ""
  for (const claim of claims) {
    const text = canonical(claim)
    demand(text > last, "the claims must be in the order of their text, each once")
    last = text
  }
}

/** Throws `Malformed` unless what was read with `chainProofShape` has its one form. */
export const demandForm = (proof: ChainProof): void => {
  checkTag(proof, chainProofTag)
  demandOrder(proof.claims)
}

/** Reads a proof, which must be canonical JSON. Throws `Malformed` naming the wrong member, `Newer` for a later version. */
export const parseChainProof = (text: string): ChainProof => {
  if (text.length > bounds.text) throw new Malformed(`a proof must have at most ${bounds.text} characters`)
  const proof = s.readShape("the proof", parseCanonical(text), chainProofShape)
  demandForm(proof)
  return proof
}
