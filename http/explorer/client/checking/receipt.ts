/** One value looked at for a page that displays it: whether what is sealed is what the page says. */
import { Malformed } from "../../../../core/proof/bytes.ts"
import { element } from "../parts/dom.ts"
import { storeKeys } from "../parts/store.ts"
import { ask } from "../parts/workerCall.ts"
import type { ValueRequest } from "../verifier/value.ts"
import { memory, remember } from "./memory.ts"

const strong = (text: string): HTMLElement => element("strong", {}, text)

/** What came of it, as a sentence; `leaf` is the hash of the leaf whose value the page has. */
export const wordsOfCheck = async (
  request: ValueRequest,
  leaf: string
): Promise<ReadonlyArray<Node | string>> => {
  try {
    const { growth, leaf_hash, outcome, signers } = await ask("proveValue", { request, memory: memory() })
    remember(growth)
    storeKeys(signers, new Date().toISOString())
    const [altered, signer] = outcome.answers
    if (leaf_hash !== leaf)
      return [strong("Not what this page says."), " The service proves another value of this day."]
    return altered?.state === "yes"
      ? [strong("Not altered"), ", checked in this browser just now. ", signer?.text ?? ""]
      : [strong("Not confirmed here."), ` ${altered?.text ?? outcome.summary}`]
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return [strong("Not checked."), ` It could not be verified: ${error.message}.`]
  }
}
