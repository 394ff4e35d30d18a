/** The page of a receipt: checks the value here, and says so only then. */
import { Malformed } from "../../../core/proof/bytes.ts"
import { addCopy } from "./parts/copyButton.ts"
import { element } from "./parts/dom.ts"
import "./page.ts"
import type { ValueRequest } from "./verifier/value.ts"

const place = document.querySelector<HTMLElement>("#checked")
const citation = document.querySelector<HTMLElement>("#cite")
if (citation !== null) addCopy(citation, "the citation")

const strong = (text: string): HTMLElement => element("strong", {}, text)

/** What came of looking, as a sentence; `leaf` is the hash of the leaf whose value the page has. */
const wordsOfCheck = async (request: ValueRequest, leaf: string): Promise<ReadonlyArray<Node | string>> => {
  const { proveValue } = await import("./checking/index.ts")
  try {
    const { leaf_hash, outcome } = await proveValue(request)
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

const check = async (into: HTMLElement): Promise<void> => {
  const { date = "", leaf = "", metric = "", source = "", symbol = "" } = into.dataset
  into.textContent = "Checking in this browser …"
  try {
    into.replaceChildren(...(await wordsOfCheck({ date, metric, source, symbol }, leaf)))
  } catch {
    into.textContent = "Not checked: the verifier did not load. Load the page again."
  }
}

if (place !== null) void check(place)
