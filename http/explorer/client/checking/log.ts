/** Looks whether the log has only grown since this browser saw it last. */
import { ask } from "../parts/workerCall.ts"
import { memory, remember } from "./memory.ts"

/** Raises the alarm where the log does not follow from the one seen before, and gives what was found in a sentence. */
export const checkLog = async (): Promise<string> => {
  const before = memory()
  const growth = await ask("compareHeads", before)
  remember(growth, before)
  const { detail, ok } = growth.check
  return ok === true
    ? `The log has only grown: ${detail}.`
    : ok === false
      ? `The log does not follow from the one seen before: ${detail}.`
      : `The log was not compared: ${detail}.`
}
