/** Checks by the consensus of a chain itself that a block is one of it. Loaded where there is such evidence, because it is of some size. */
import { Malformed, Newer } from "../bytes.ts"
import type { ChainProof } from "../chain/document.ts"
import { type Check, demand, notProved, refused } from "../check.ts"
import { commits } from "./commits.ts"
import type { ChainFinality } from "./document.ts"
import { justifications } from "./justification.ts"
import { type Rule, Untrusted } from "./rule.ts"
import { syncCommittee } from "./syncCommittee.ts"

const rules: ReadonlyArray<Rule> = [commits, justifications, syncCommittee]

/** Whether the consensus of a chain makes a block final, and which consensus, where it does. */
export interface Final {
  readonly check: Check<"final">
  readonly by?: string
}

const ruleOf = ({ chain, evidence: { kind } }: ChainFinality): Rule => {
  const rule = rules.find((one) => one.kind === kind)
  if (rule === undefined) throw new Newer(`this verifier does not know evidence of the kind ${kind}`)
  demand(
    chain.startsWith(`${rule.namespace}:`),
    `evidence of the kind ${kind} makes no block of ${chain} final`,
    "origin"
  )
  return rule
}

/**
 * Whether the block of a proof is final, by documents of which one is of that block and the others of earlier ones. `trusted` are hashes by
 * which the reader names whom he trusts.
 */
export const verifyFinality = (
  { block, chain, simulated }: Pick<ChainProof, "block" | "chain" | "simulated">,
  documents: ReadonlyArray<ChainFinality>,
  trusted: ReadonlyArray<string>
): Final => {
  const target = documents.find((one) => one.chain === chain && one.block.number === block.number)
  if (target === undefined)
    return { check: notProved("final", `no document of finality is of block ${block.number} of ${chain}`) }
  try {
    const rule = ruleOf(target)
    const before = documents.filter((one) => one !== target)
    for (const one of before)
      demand(ruleOf(one) === rule, "documents of finality are of different kinds", "contradiction")
    demand(
      documents.every((one) => one.simulated === simulated),
      "the proof and a document of finality disagree on whether it is simulated",
      "contradiction"
    )
    const detail = rule.holds(target, trusted, before)
    demand(
      target.block.hash === block.hash,
      `${chain} has another block ${block.number}: ${detail}`,
      "contradiction"
    )
    return { by: rule.by, check: { name: "final", ok: true, detail } }
  } catch (error) {
    if (error instanceof Untrusted) return { check: notProved("final", error.message, error.reason) }
    if (error instanceof Malformed) return { check: refused("final", error) }
    throw error
  }
}

/** Throws `Malformed` unless those signed the block of a document whom it names itself. */
export const demandSigned = (document: ChainFinality): void => {
  ruleOf(document).demandSigned(document)
}
