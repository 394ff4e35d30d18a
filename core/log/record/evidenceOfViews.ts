/** The evidence `chain` of a value that views of contracts give. */
import { Malformed } from "../../proof/bytes.ts"
import { provedCalls, type ToldState, type View } from "../../proof/chain/evmRead.ts"
import { proofOfCalls } from "../../proof/chain/proofOfCalls.ts"
import { keyOfViews, numberOfCalls } from "../../proof/chain/resultsOfCalls.ts"
import type { ChainEvidence, NumberRead } from "../../proof/chainEvidence.ts"
import { chainChecks, isNumberOf } from "../../proof/checkChainEvidence.ts"
import type { RowLeaf } from "../../proof/leaf.ts"
import type { Proved } from "./chain/read.ts"

/** How numbers are read of what a view gives, the likeliest first. */
const numberReads: ReadonlyArray<NumberRead> = [
  { as: "unsigned", decimals: 0 },
  { as: "entries", decimals: 0 },
  ...Array.from({ length: 36 }, (_, n): NumberRead => ({ as: "unsigned", decimals: n + 1 }))
]

/** The proof of one value in what nodes told of a block; undefined where it does not prove it. */
export const evidenceOfViews = (
  witness: ToldState,
  views: ReadonlyArray<View>,
  leaf: RowLeaf
): Proved | undefined => {
  try {
    const state = provedCalls(witness)
    const results = views.map(state.call)
    const form = numberReads.find((read) => {
      const number = numberOfCalls(read, results)
      return number !== undefined && isNumberOf(number, leaf)
    })
    if (form === undefined) return undefined
    const proof = proofOfCalls(witness, views, leaf.simulated === true)
    const evidence: ChainEvidence = { proof, key: keyOfViews(views), ...form }
    const [checked] = chainChecks(evidence, leaf)
    return checked?.ok === true ? { evidence, proof } : undefined
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
