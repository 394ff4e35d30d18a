/** What a run read of one block with its proof, whatever kind of chain it is of. */

import { Malformed } from "../../../proof/bytes.ts"
import type { ChainProof } from "../../../proof/chain/document.ts"
import type { ChainEvidence } from "../../../proof/chainEvidence.ts"
import { chainChecks } from "../../../proof/checkChainEvidence.ts"
import type { RowLeaf } from "../../../proof/leaf.ts"

/** A block as a proof names it. */
export interface BlockName {
  /** CAIP-2. */
  readonly chain: string
  readonly number: number
  /** Hex. */
  readonly hash: string
}

/** The proof of a value, and how the value stands in it. */
export interface Proved {
  readonly proof: ChainProof
  readonly evidence: ChainEvidence
}

export interface ChainRead {
  readonly block: BlockName
  /**
   * The proof of a value that was read at this address, as the collector gives it; undefined where the read is of something else, or does
   * not prove it.
   */
  readonly prove: (address: string, leaf: RowLeaf) => Proved | undefined
}

/** The result of reading what nodes told; undefined where it is no proof. */
export const orNothing = <A>(work: () => A): A | undefined => {
  try {
    return work()
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

/** A proof as evidence of a leaf, if the state is checked to say its value. */
export const provedOf = (evidence: ChainEvidence, proof: ChainProof, leaf: RowLeaf): Proved | undefined => {
  const [state] = chainChecks(evidence, leaf)
  return state?.ok === true ? { evidence, proof } : undefined
}
