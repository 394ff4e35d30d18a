/** Whether those who are said to have signed a block did. */
import { Malformed } from "../../proof/bytes.ts"
import type { ChainFinality } from "../../proof/finality/document.ts"
import { demandSigned } from "../../proof/finality/verifyFinality.ts"

/** Why a document of finality does not hold; undefined where those signed its block whom it names. */
export const refusalOf = (document: ChainFinality): string | undefined => {
  try {
    demandSigned(document)
    return undefined
  } catch (error) {
    if (error instanceof Malformed) return error.message
    throw error
  }
}
