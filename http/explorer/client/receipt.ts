/** The page of a receipt: checks the value here, and says so only then. */
import { addCopy } from "./parts/copyButton.ts"
import "./page.ts"

const place = document.querySelector<HTMLElement>("#checked")
const citation = document.querySelector<HTMLElement>("#cite")
if (citation !== null) addCopy(citation, "the citation")

const check = async (into: HTMLElement): Promise<void> => {
  const { date = "", leaf = "", metric = "", source = "", symbol = "" } = into.dataset
  into.textContent = "Checking in this browser …"
  try {
    const { wordsOfCheck } = await import("./checking/index.ts")
    into.replaceChildren(...(await wordsOfCheck({ date, metric, source, symbol }, leaf)))
  } catch {
    into.textContent = "Not checked: the verifier did not load. Load the page again."
  }
}

if (place !== null) void check(place)
