/** A verification as three answers for a reader: was it altered, by whom was it signed, since when does it exist. */
import { allHold, type Check, subjectOf } from "./check.ts"

/** `open`: nothing contradicts it, and nothing proves it to this reader. */
export interface Answer {
  readonly question: "altered" | "by whom" | "since when"
  readonly state: "yes" | "no" | "open"
  /** One or two sentences; the first is the answer. */
  readonly text: string
}

const ofSigner: ReadonlySet<string> = new Set(["operator's key", "key in use"])
const isOfSigner = (one: Check): boolean => ofSigner.has(subjectOf(one))
const isOfTime = (one: Check): boolean =>
  subjectOf(one) === "timestamp" || subjectOf(one).startsWith("header of block")

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`

const altered = (checks: ReadonlyArray<Check>, what: string): Answer => {
  const question = "altered"
  const wrong = checks.find(({ ok }) => ok === false)
  if (wrong !== undefined)
    return { question, state: "no", text: `Altered, or not what was sealed. ${sentence(wrong.detail)}` }
  const open = checks.find(({ ok }) => ok === "not proved")
  if (open !== undefined)
    return {
      question,
      state: "open",
      text: `Nothing shows that it was altered, and not all is proved. ${sentence(open.detail)}`
    }
  const holding = checks.filter(({ ok }) => ok === true).length
  return holding === 0
    ? { question, state: "open", text: "Nothing was compared." }
    : {
        question,
        state: "yes",
        text: `Not altered. ${what} is exactly what was signed (${holding} of ${holding} checks hold).`
      }
}

const byWhom = (checks: ReadonlyArray<Check>, memory: string | undefined): Answer => {
  const question = "by whom"
  const wrong = checks.find(({ ok }) => ok === false)
  if (wrong !== undefined)
    return { question, state: "no", text: `Not by whom you expect. ${sentence(wrong.detail)}` }
  const own = checks.find((one) => subjectOf(one) === "operator's key")
  if (own?.ok === true) {
    const open = checks.find(({ ok }) => ok === "not proved")
    return open === undefined
      ? { question, state: "yes", text: `By the operator whose key you gave. ${sentence(own.detail)}` }
      : { question, state: "open", text: sentence(open.detail) }
  }
  return {
    question,
    state: "open",
    text: `The signer is not known to you: you have not said whose key to expect.${memory === undefined ? "" : ` ${memory}`}`
  }
}

const sinceWhen = (checks: ReadonlyArray<Check>): Answer => {
  const question = "since when"
  const wrong = checks.find(({ ok }) => ok === false)
  if (wrong !== undefined)
    return { question, state: "no", text: `The time does not hold. ${sentence(wrong.detail)}` }
  const proved = checks.find((one) => one.ok === true && subjectOf(one) === "timestamp")
  return proved !== undefined && checks.every(({ ok }) => ok !== "not proved")
    ? { question, state: "yes", text: `Since a block of Bitcoin. ${sentence(proved.detail)}` }
    : {
        question,
        state: "open",
        text: "No block of Bitcoin says since when; today that is the operator's word alone."
      }
}

/**
 * The three answers to the checks of one verification. `what` names the thing, as "904"; `memory` says what this reader knows of the
 * key from before, as "The same key as on 3 August 2026.".
 */
export const answersTo = (
  checks: ReadonlyArray<Check>,
  what: string,
  memory?: string
): readonly [altered: Answer, byWhom: Answer, sinceWhen: Answer] => [
  altered(
    checks.filter((one) => !isOfSigner(one) && !isOfTime(one) && subjectOf(one) !== "witnesses"),
    what
  ),
  byWhom(checks.filter(isOfSigner), memory),
  sinceWhen(checks.filter(isOfTime))
]

/** The last line of the command where not everything is proved: what is known of the thing, and of its signer. */
export const lastLine = (checks: ReadonlyArray<Check>, exit: 1 | 2): string => {
  const [altered, byWhom] = answersTo(checks, "it")
  if (exit === 1 && allHold(checks)) return "does not hold (exit 1)"
  const first =
    altered.state === "yes" ? "not altered" : altered.state === "no" ? "altered" : "not all is proved"
  const second =
    byWhom.state === "yes"
      ? "signer as given"
      : byWhom.state === "no"
        ? "signer not as given"
        : "signer not known to you"
  return `${first}; ${second} (exit ${exit})`
}
