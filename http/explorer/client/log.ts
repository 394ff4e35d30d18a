/** The pages of the log: the calendar by arrow keys, and the head compared with the one that was seen before. */
import { day } from "../../../core/plugin/time.ts"
import { checkWhenIdle } from "./parts/verifying.ts"
import "./page.ts"

checkWhenIdle()

const days = [...document.querySelectorAll<HTMLAnchorElement>(".calendar a")]
const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }

const dayOf = (link: HTMLAnchorElement): number => Date.parse(link.dataset["day"] ?? "") / day

for (const link of days) {
  link.addEventListener("keydown", (event) => {
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const target = dayOf(link) + step
    days.find((one) => dayOf(one) === target)?.focus()
  })
}
