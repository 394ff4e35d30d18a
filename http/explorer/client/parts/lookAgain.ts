/** The button that has the source of the value asked again, and what the source says. */
import type { RecheckResponse } from "../../../../core/wire/data/recheck.ts"
import { recheckSentence } from "../../html/recheck.ts"
import { element } from "./dom.ts"

/** How often a page asks for the result: sources that take longer than half a minute are looked up by hand. */
const mostTries = 15

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000))

type Answer = Partial<RecheckResponse> & { readonly message?: string }

/** What is readout in the end; never rejects. */
const resultAt = async (address: string): Promise<string> => {
  try {
    for (let n = 0; n < mostTries; n++) {
      const response = await fetch(address)
      const answer: Answer = await response.json()
      if (!response.ok) return answer.message ?? `The service answered ${response.status}.`
      const sentence = answer.state === "done" ? recheckSentence(answer as RecheckResponse) : undefined
      if (answer.state === "done") return sentence ?? "The source was asked, and gave nothing of this metric."
      await pause(answer.retry_after ?? 2)
    }
    return "The source takes longer than half a minute. Try again in a moment: its answer stays for ten minutes."
  } catch {
    return "There was no answer. Try again in a moment."
  }
}

/** Makes the link to the answer a button that shows it here. */
export const enableLookAgain = (): void => {
  const place = document.querySelector<HTMLElement>("#look-again")
  const link = place?.querySelector("a")
  if (place === null || place === undefined || link === null || link === undefined) return
  const readout = element("p", { role: "status", class: "readout" })
  const button = element("button", { type: "button" }, link.textContent)
  button.addEventListener("click", () => {
    button.disabled = true
    readout.textContent = "Asking …"
    void resultAt(link.href).then((text) => {
      readout.textContent = text
      button.disabled = false
    })
  })
  link.replaceWith(button)
  place.append(readout)
}
