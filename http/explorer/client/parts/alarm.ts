/** What must not be overlooked: at the top of the page, said at once, on every page until the reader acts. */
import { formatTime } from "../../html/format.ts"
import { element, saveButton } from "./dom.ts"
import { type Contradiction, contradictions } from "./store.ts"

/** Puts an alarm at the top of the page; one of the same name takes the place of the former. */
const raise = (name: string, title: string, ...children: ReadonlyArray<Node>): void => {
  const id = `alarm-${name}`
  document.getElementById(id)?.remove()
  const alarm = element("section", { id, class: "alarm", role: "alert", "aria-labelledby": `${id}-title` })
  alarm.append(element("h2", { id: `${id}-title` }, title), ...children)
  document.querySelector("main")?.prepend(alarm)
}

const head = (title: string, when: string, note: string): HTMLElement => {
  const block = element("div", {}, element("h3", {}, title), element("p", { class: "quiet" }, when))
  block.append(element("pre", {}, element("code", {}, note)))
  return block
}

const steps = [
  "Save both heads now. Together they are evidence that anyone can check: both carry the signature of the log.",
  "Tell the operator, and ask which of the two is the log.",
  "Send both heads to the witnesses and to others who follow this log. Ask which head they saw.",
  "Until that is settled, do not rely on a value of this service, nor on a proof of it."
]

/** The log shows another history than before. */
export const raiseContradiction = (contradiction: Contradiction): void => {
  const { kept: earlierHead, noticed, origin, shown: laterNote, why } = contradiction
  const list = element("ol", {}, ...steps.map((step) => element("li", {}, step)))
  const heads = element("div", { class: "columns" })
  heads.append(
    head("The head that this browser kept", `Seen ${formatTime(earlierHead.seen)}`, earlierHead.note),
    head("The head that was served later", `Noticed ${formatTime(noticed)}`, laterNote)
  )
  const actions = element("div", { class: "actions" })
  actions.append(
    saveButton("Save both heads", "plumbline-two-heads.json", () => JSON.stringify(contradiction, null, 2)),
    element("a", { class: "button", href: "/verify#heads" }, "What this browser remembers")
  )
  raise(
    "log",
    "The log does not follow from what this browser saw before",
    element(
      "p",
      {},
      `The log ${origin} showed this browser one history, and now it shows another: ${why}. A log only ever grows, so one of the two was altered, or somebody stands between you and the service.`
    ),
    list,
    actions,
    heads
  )
}

/** An alarm stays on every page until the reader says on `/verify` that the heads are kept. */
export const raiseStoredContradictions = (): void => {
  for (const contradiction of contradictions()) raiseContradiction(contradiction)
}
