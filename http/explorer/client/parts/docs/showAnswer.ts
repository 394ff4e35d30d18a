/** An answer below its form: status, body, what is signed and what is left of the quotas. */
import { formatNumber } from "../../../html/format.ts"
import { element } from "../dom.ts"
import type { Came } from "./ask.ts"

/** Characters of a body that are shown. */
const mostShown = 20_000

/** By the names that the documentation has for them. */
const shownHeaders = [
  "Content-Type",
  "X-Service-Timestamp",
  "X-Service-Signature",
  "X-Service-Signing-Key",
  "X-Service-Log-Head",
  "RateLimit",
  "Retry-After",
  "Link"
] as const

/** A whole body of JSON in lines; anything else as it came. */
const inLines = ({ headers, isWhole, text = "" }: Came): string => {
  if (!isWhole || !(headers.get("content-type") ?? "").includes("json")) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const bodyNote = ({ bytes, isWhole, text }: Came, lines: string): string => {
  if (text === undefined) return `${formatNumber(bytes)} bytes that are no text, not shown here.`
  if (!isWhole) return `The first ${formatNumber(bytes)} bytes; reading stopped there.`
  return lines.length > mostShown
    ? `${formatNumber(bytes)} bytes, of which the beginning is shown.`
    : `${formatNumber(bytes)} bytes.`
}

/** Where an answer is shown: what is said of it, which is read out, and all the rest. */
export interface AnswerPlace {
  readonly summary: HTMLElement
  readonly content: HTMLElement
}

export const makeAnswerPlace = (): AnswerPlace => ({
  summary: element("p", { role: "status" }),
  content: element("div", { class: "try-answer" })
})

const bodyOf = ({ text }: Came, lines: string): ReadonlyArray<HTMLElement> => {
  if (text === undefined || lines === "") return []
  const shownLines = lines.length > mostShown ? `${lines.slice(0, mostShown)}\n…` : lines
  return [
    element(
      "pre",
      { tabindex: "0", role: "region", "aria-label": "Body of the answer" },
      element("code", {}, shownLines)
    )
  ]
}

export const showAnswer = ({ content, summary }: AnswerPlace, came: Came): void => {
  const text = inLines(came)
  const headers = shownHeaders.flatMap((name) => {
    const value = came.headers.get(name)
    return value === null ? [] : [element("dt", {}, name), element("dd", {}, value)]
  })
  summary.replaceChildren(element("strong", {}, `Status ${came.status}`), ` ${bodyNote(came, text)}`)
  content.replaceChildren(...bodyOf(came, text), element("dl", { class: "facts" }, ...headers))
}

export const showFailure = ({ content, summary }: AnswerPlace): void => {
  summary.replaceChildren("There was no answer. Try again in a moment.")
  content.replaceChildren()
}
