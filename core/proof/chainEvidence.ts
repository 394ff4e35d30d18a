/** A chain's own proof beside a value, as a bundle has it. */
import { isRecord } from "./canonical.ts"
import type { Check } from "./check.ts"
import type { Leaf } from "./leaf.ts"
import * as s from "./shape.ts"
import { type AboutDocument, type LaterDocument, laterDocumentShape } from "./verifyLater.ts"

/**
 * How a number stands in the bytes of a value: as an unsigned integer; as how many of a list of flags are true, or how many entries of
 * `width` bytes a list has, of both none where the state has no value; as the sum of two integers of `width` bytes; in decimal digits; or as
 * the amount of a coin, a message of a denomination and such digits.
 */
export type NumberForm = "unsigned" | "flags" | "entries" | "halves" | "digits" | "coin"

export interface NumberRead {
  readonly as: NumberForm
  /** Bytes of an entry, or of a half. */
  readonly width?: number
  /** The number is of units of which 10 to this power are one. */
  readonly decimals: number
}

export interface ChainEvidence extends NumberRead {
  /** The proof of a chain (`chain/document.ts`), which its check reads. */
  readonly proof: object
  /** The key of the claim that says the number, hex; empty for the validators of a Cosmos chain, whose claim has none. */
  readonly key: string
  /** What operators say of the block, where they were asked. */
  readonly looks?: LaterDocument
}

const proof: s.Member<object> = { is: isRecord, says: "an object", optional: false }

export const chainEvidenceShape: s.Shape<ChainEvidence> = {
  proof,
  key: s.text,
  as: s.oneOf("unsigned", "flags", "entries", "halves", "digits", "coin"),
  width: s.optional(s.ordinal),
  decimals: s.count,
  looks: s.optional(s.nested("what operators say", laterDocumentShape))
}

export type ChainCheckName = "state of the chain" | "block of the chain"

/**
 * Throws `Malformed` unless the log has a document under a head that extends the bundle's, and `CouldNotLook` where the bundle's own head
 * does not hold. What checks proofs of chains is loaded by itself, and takes this from whoever has the log's code already.
 */
export type DemandLater = (logged: LaterDocument, about: AboutDocument) => void

/** The checks of a proof beside its value's leaf, which is undefined where it cannot be read. */
export type ChainChecks = (
  member: ChainEvidence,
  leaf: Leaf | undefined,
  demandLater?: DemandLater
) => ReadonlyArray<Check<ChainCheckName>>

/** The checks of who signed a block on its chain, beside the proof of a value that names the block. Either may be missing in a bundle. */
export type FinalityChecks = (
  member: LaterDocument | undefined,
  chain: ChainEvidence | undefined,
  demandLater?: DemandLater
) => ReadonlyArray<Check<FinalityCheckName>>

export type FinalityCheckName = "block signed on the chain"
