/** Checks a chain's proof, of any family of chains. */
import type { Looks } from "./canonicalBlock.ts"
import type { ChainProof } from "./document.ts"
import { families } from "./families.ts"
import { verifyProof } from "./verifyProof.ts"

/** The checks of a proof: that the header is the block's, what its state says, and whether the block is one of the chain. */
export const verifyChain = (proof: ChainProof, looks?: Looks) => verifyProof(families, proof, looks)
