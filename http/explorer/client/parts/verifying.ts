/** Buttons that verify a value in this browser. The verifier is loaded with the first use. */
import { formatDay } from "../../html/format.ts"
import { element } from "./dom.ts"
import { turn } from "./turn.ts"

const verifier = () => import("../verifier/index.ts")

const titleOf = (date: string): string => `The value of ${formatDay(date)}`

/** Verifies a value and shows the steps in `place`; the focus goes to the verdict. */
export const verifyValue = async (
  place: HTMLElement,
  asked: {
    readonly symbol: string
    readonly metric: string
    readonly date: string
    readonly source?: string
  }
): Promise<void> => {
  place.hidden = false
  place.replaceChildren(element("p", { role: "status" }, "Verifying …"))
  try {
    const { Malformed, proveValue, showOutcome, showTrouble } = await verifier()
    try {
      showOutcome(place, await proveValue(asked))
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      showTrouble(place, titleOf(asked.date), `It could not be verified: ${error.message}.`)
    }
  } catch {
    place.replaceChildren(
      element(
        "h3",
        { class: "verdict fails", tabindex: "-1" },
        "The verifier did not load. Load the page again."
      )
    )
  }
  place.querySelector<HTMLElement>(".verdict")?.focus()
  place.scrollIntoView({ block: "start" })
}

/** The button in the section on proof, and one at every closed day of the table. */
export const enableVerification = (): void => {
  const hook = document.querySelector<HTMLElement>("#verify")
  const { date = "", metric = "", source = "", symbol = "" } = hook?.dataset ?? {}
  if (hook === null || symbol === "") return
  const place = element("section", { id: "verified", class: "outcome", "aria-label": "Verification" })
  place.hidden = true
  ;(hook.closest(".columns") ?? hook).after(place)
  const buttonFor = (day: string, className: string, ...label: ReadonlyArray<Node | string>) => {
    const button = element("button", { type: "button", class: className }, ...label)
    button.addEventListener("click", () => void verifyValue(place, { symbol, metric, source, date: day }))
    return button
  }
  hook.append(
    buttonFor(date, "primary", "Verify it in this browser"),
    element("a", { class: "button", href: "/verify#trust" }, "Give the operator’s key")
  )
  for (const row of document.querySelectorAll<HTMLElement>("#days tr[data-date]")) {
    const day = row.dataset["date"] ?? ""
    const link = row.querySelector("td:last-child a")
    const hidden = element("span", { class: "visually-hidden" }, ` the value of ${formatDay(day)}`)
    link?.after(" ", buttonFor(day, "small", "verify", hidden))
  }
}

const checkNow = async (served: Document): Promise<void> => {
  try {
    const { checkPage } = await verifier()
    await turn()
    await checkPage(served)
  } catch {
    const place = document.querySelector("#page-check")
    if (place !== null) place.textContent = "Not checked: the verifier did not load."
  }
}

/**
 * When nothing else is to do, checks that the log only grew, and what this page shows: `served` is the page before scripts
 * changed it.
 */
export const checkWhenIdle = (served: Document = document): void => {
  if ("requestIdleCallback" in window) requestIdleCallback(() => void checkNow(served), { timeout: 2000 })
  else setTimeout(() => void checkNow(served), 500)
}

/** The same by a button, where a page should load little. */
export const checkByButton = (served: Document): void => {
  const button = element("button", { type: "button", class: "small" }, "Check this page")
  button.addEventListener("click", () => void checkNow(served))
  document.querySelector("#page-check")?.replaceChildren(button)
}
