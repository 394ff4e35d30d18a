/** Shows an outcome: its verdict, then each step, whose state is a word and a form, never a colour alone. */
import type { Check } from "../../../../core/proof/check.ts"
import type { Answer } from "../../../../core/proof/questions.ts"
import { partsOf } from "../../html/command.ts"
import { element } from "../parts/dom.ts"
import type { FileResult } from "../verifier/files.ts"
import { type Outcome, type Step, verdictOf } from "../verifier/outcome.ts"

const stateLabels = {
  true: "holds",
  false: "fails",
  "not proved": "not proved",
  "not checked": "not checked"
} as const

const classOf = (word: string): string => word.replaceAll(" ", "-")

const mark = (word: string): HTMLElement => element("span", { class: `state ${classOf(word)}` }, word)

/** A step fails if one of its checks does, and is open if one is; where nothing was checked, it says that. */
const stateOf = ({ checks }: Step): string => {
  if (checks.length === 0 || checks.every(({ ok }) => ok === "not checked")) return "not checked"
  const verdict = verdictOf(checks)
  return verdict === "does not hold" ? "fails" : verdict
}

const line = ({ detail, name, ok }: Check): ReadonlyArray<HTMLElement> => [
  element("dt", {}, name, " ", mark(stateLabels[`${ok}`])),
  element("dd", {}, detail)
]

const stepOf = (step: Step): HTMLElement => {
  const state = stateOf(step)
  const item = element("li", { class: `step ${classOf(state)}` })
  item.append(
    element("h3", {}, step.title, " ", mark(state)),
    element("p", {}, step.says),
    element("dl", { class: "checks" }, ...step.checks.flatMap(line))
  )
  if (step.hashes.length > 0)
    item.append(
      element(
        "dl",
        { class: "hashes" },
        ...step.hashes.flatMap(([name, value]) => [
          element("dt", {}, name),
          element("dd", {}, element("code", {}, value))
        ])
      )
    )
  if (step.beyond !== undefined)
    item.append(
      element(
        "p",
        {},
        element(
          "a",
          { href: step.beyond.address, rel: "noopener noreferrer external", target: "_blank" },
          step.beyond.text
        )
      )
    )
  return item
}

const commandOf = (command: string): HTMLElement =>
  element(
    "code",
    {},
    ...partsOf(command).flatMap((part, n) => [n > 0 ? " " : "", element("span", { class: "option" }, part)])
  )

const questions = { altered: "Altered?", "by whom": "By whom?", "since when": "Since when?" } as const
const signs = { yes: "✔", no: "✘", open: "?" } as const
const signWords = { yes: "answered", no: "refuted", open: "open" } as const

/** One answer: a sign, which is also said in words, the question, and what is known. */
const answerLine = ({ question, state, text }: Answer): HTMLElement =>
  element(
    "li",
    { class: state },
    element("span", { class: "token", "aria-hidden": "true" }, signs[state]),
    element("span", { class: "visually-hidden" }, signWords[state]),
    element("strong", {}, questions[question]),
    element(
      "span",
      {},
      text,
      ...(question === "by whom" && state === "open"
        ? [" ", element("a", { href: "/verify#trust" }, "Enter the key, and where to get it")]
        : [])
    )
  )

/** The steps, which are open where one fails. */
const detailsOf = (steps: ReadonlyArray<Step>): HTMLElement => {
  const details = element(
    "details",
    {},
    element("summary", {}, `The ${steps.length} steps`),
    element("ol", { class: "steps" }, ...steps.map(stepOf))
  )
  if (steps.some((step) => stateOf(step) === "fails")) details.setAttribute("open", "")
  return details
}

/** The word after the title. A value that nobody altered is not called unproved because its signer is unknown. */
const headingWord = ({ answers: [altered], verdict }: Outcome): string =>
  verdict === "not proved" && altered?.state === "yes" ? "not altered" : verdict

/** Replaces what is in `place`, and moves to the verdict, so that a keyboard and a screen reader are there too. */
export const showOutcome = (place: HTMLElement, outcome: Outcome): void => {
  const { answers, command, steps, summary, title } = outcome
  const word = headingWord(outcome)
  const heading = element(
    "h3",
    { class: `verdict ${classOf(word)}`, tabindex: "-1" },
    element("span", { class: "what" }, title),
    " ",
    mark(word)
  )
  place.replaceChildren(
    heading,
    answers.length === 0
      ? element("p", { class: "summary" }, summary)
      : element("ul", { class: "answers" }, ...answers.map(answerLine)),
    detailsOf(steps),
    element("p", {}, "The same in a shell, without this page:"),
    element("pre", {}, commandOf(command))
  )
}

/** Why nothing could be checked. */
export const showTrouble = (place: HTMLElement, title: string, why: string, help?: string): void => {
  place.replaceChildren(
    element("h3", { class: "verdict fails", tabindex: "-1" }, title),
    element("p", { class: "summary" }, why),
    ...(help === undefined ? [] : [element("p", {}, help)])
  )
}

/** What was found in a file. */
export const showFileResult = (place: HTMLElement, looked: FileResult): void =>
  "why" in looked ? showTrouble(place, looked.title, looked.why, looked.help) : showOutcome(place, looked)
