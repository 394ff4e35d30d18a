/** Buttons that verify a value in this browser. What verifies is loaded with the first use. */
import { formatDay } from "../../html/format.ts"
import type { ValueRequest } from "../verifier/value.ts"
import { element, partFor } from "./dom.ts"

const checking = () => import("../checking/index.ts")

const didNotLoad = "The verifier did not load. Load the page again."

/** Shows in a place what a verification finds there, unless a later one has the place by then; the focus goes to the verdict. */
export const verifyIn = async (
  place: HTMLElement,
  show: (part: HTMLElement) => Promise<void>
): Promise<void> => {
  const part = partFor(place, "Verifying …")
  try {
    await show(part)
  } catch {
    part.replaceChildren(element("h3", { class: "verdict fails", tabindex: "-1" }, didNotLoad))
  }
  part.querySelector<HTMLElement>(".verdict")?.focus()
}

/** Verifies a value and shows the steps in `place`. */
export const verifyValue = async (place: HTMLElement, request: ValueRequest): Promise<void> => {
  place.hidden = false
  await verifyIn(place, async (part) => (await checking()).showValue(part, request))
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

const checkNow = async (): Promise<void> => {
  const place = document.querySelector("#log-check")
  const say = (text: string): void => {
    if (place !== null) place.textContent = text
  }
  say("Checking …")
  try {
    say(await (await checking()).checkLog())
  } catch {
    say(`Not checked. ${didNotLoad}`)
  }
}

/** When nothing else is to do, checks that the log only grew since this browser saw it last. */
export const checkWhenIdle = (): void => {
  if ("requestIdleCallback" in window) requestIdleCallback(() => void checkNow(), { timeout: 2000 })
  else setTimeout(() => void checkNow(), 500)
}

/** The same by a button, where a page should load little. */
export const checkByButton = (): void => {
  const button = element("button", { type: "button", class: "small" }, "Check the log")
  button.addEventListener("click", () => void checkNow())
  document.querySelector("#log-check")?.replaceChildren(button)
}
