/** What checks the proof of a chain, and who signed its block: loaded where a bundle has them, because they are of some size. */
import type { Bundle, Bundle4 } from "./bundle.ts"
import type { ChainChecks, FinalityChecks } from "./chainEvidence.ts"
import type { ChainSigners } from "./checkFinalityEvidence.ts"

/** What checks the proof of a chain in a bundle, if it has one, and who signed its block, if it has that or the reader asks: options of `verifyBundle`. */
export const chainsFor = async (
  bundle: Bundle | Bundle4,
  signers: ChainSigners = {}
): Promise<{ readonly chains?: ChainChecks; readonly finality?: FinalityChecks }> => {
  const has = (name: string) => "evidence" in bundle && bundle.evidence.some(({ kind }) => kind === name)
  return {
    ...(has("chain") ? { chains: (await import("./checkChainEvidence.ts")).chainChecks } : {}),
    ...(has("finality") || signers.isDemanded === true
      ? { finality: (await import("./checkFinalityEvidence.ts")).finalityChecksBy(signers) }
      : {})
  }
}
