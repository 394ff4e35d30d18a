/** One day's value, verified, and shown step by step. */
import { Malformed } from "../../../../core/proof/bytes.ts"
import { formatDay } from "../../html/format.ts"
import { storeKeys } from "../parts/store.ts"
import { ask } from "../parts/workerCall.ts"
import type { ValueRequest } from "../verifier/value.ts"
import { memory, remember } from "./memory.ts"
import { showOutcome, showTrouble } from "./show.ts"

/** What came of looking at a value, with the hash of the leaf that was looked at. Rejects with `Malformed` where it cannot be read. */
export const proveValue = async (request: ValueRequest) => {
  const before = memory()
  const { growth, leaf_hash, outcome, signers } = await ask("proveValue", { request, memory: before })
  remember(growth, before)
  storeKeys(signers, new Date().toISOString())
  return { leaf_hash, outcome }
}

export const showValue = async (place: HTMLElement, request: ValueRequest): Promise<void> => {
  try {
    showOutcome(place, (await proveValue(request)).outcome)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    showTrouble(
      place,
      `The value of ${formatDay(request.date)}`,
      `It could not be verified: ${error.message}.`
    )
  }
}
