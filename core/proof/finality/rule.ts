/** How the consensus of chains of one kind makes a block final, as far as a reader can check it. */
import { Malformed } from "../bytes.ts"
import type { ChainFinality } from "./document.ts"

/** Signatures fit, and nobody whom the reader trusts made them: that proves nothing, and refutes nothing. */
export class Untrusted extends Malformed {
  override readonly name = "Untrusted"

  constructor(message: string) {
    super(message, "key")
  }
}

export interface Rule {
  /** Of the evidence. */
  readonly kind: string
  /** Of CAIP-2: the chains whose blocks it can be of. */
  readonly namespace: string
  /** Who makes blocks final, as a verdict names it. */
  readonly by: string
  /** Throws `Malformed` unless those signed the block whom the document itself names. Whether they are those of the chain it does not say. */
  readonly demandSigned: (document: ChainFinality) => unknown
  /**
   * What is said where the block of the first document is final, by those whom the reader trusts; the others may lead from these to those
   * who signed it. Throws `Malformed` where a document does not hold, and `Untrusted` where nobody signed of whom the reader said that he
   * trusts him.
   */
  readonly holds: (
    target: ChainFinality,
    trusted: ReadonlyArray<string>,
    before: ReadonlyArray<ChainFinality>
  ) => string
}
