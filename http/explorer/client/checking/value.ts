/** One day's value, verified and shown step by step. */
import { Malformed } from "../../../../core/proof/bytes.ts"
import { formatDay } from "../../html/format.ts"
import { ask } from "../parts/asking.ts"
import type { Asked } from "../verifier/value.ts"
import { memory, remember } from "./memory.ts"
import { showOutcome, showTrouble } from "./show.ts"

export const showValue = async (place: HTMLElement, asked: Asked): Promise<void> => {
  try {
    const { growth, outcome } = await ask("proveValue", { asked, memory: memory() })
    remember(growth)
    showOutcome(place, outcome)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    showTrouble(place, `The value of ${formatDay(asked.date)}`, `It could not be verified: ${error.message}.`)
  }
}
