/** What checks the proof of a chain: loaded where a bundle has one, because it is of some size. */
import type { Bundle, Bundle4 } from "./bundle.ts"
import type { ChainChecks } from "./chainEvidence.ts"

/** What checks the proof of a chain in a bundle, if it has one: an option of `verifyBundle`. */
export const chainsFor = async (bundle: Bundle | Bundle4): Promise<{ readonly chains?: ChainChecks }> => {
  if (!("evidence" in bundle && bundle.evidence.some(({ kind }) => kind === "chain"))) return {}
  const { chainChecks } = await import("./checkChainEvidence.ts")
  return { chains: chainChecks }
}
