/**
 * What other operators have of a value, as the evidence beside a bundle has it: the comparison in the tree of its day, the day's document, and that
 * document's entry under a head that extends the bundle's: the comparison is made after the batch is closed.
 */
import { type InclusionProof, proofShape } from "./inclusion.ts"
import * as s from "./shape.ts"

/** `index`, `size` and `path` are of the comparison in the day's tree; `log` has those of the document's entry in the log. */
export interface Agreed extends InclusionProof {
  /** The comparison, as canonical text. */
  readonly leaf: string
  /** The day's document, as canonical text. */
  readonly document: string
  readonly log: InclusionProof & {
    readonly entry: string
    /** The signed head of that size. */
    readonly checkpoint: string
    /** The consistency proof (RFC 9162) of the bundle's checkpoint with it; empty if they have one size. */
    readonly consistency: ReadonlyArray<string>
  }
}

export const agreedShape: s.Shape<Agreed> = {
  ...proofShape,
  leaf: s.text,
  document: s.text,
  log: s.nested("the agreement's place in the log", {
    ...proofShape,
    entry: s.text,
    checkpoint: s.text,
    consistency: s.hashes
  })
}
