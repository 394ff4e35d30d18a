/** A form for each request of the documentation. It asks this host, and shows what came. */
import {
  type DescribedRequest,
  exampleValues,
  type RequestParameter,
  type Tried,
  targetOf,
  type Values
} from "../../../../description/requests.ts"
import { languages, samplesOf } from "../../../../description/samples.ts"
import { element } from "../dom.ts"
import { ask } from "./ask.ts"
import { makeAnswerPlace, showAnswer, showFailure } from "./showAnswer.ts"

type Field = HTMLInputElement | HTMLSelectElement

/** The key as it was typed last. It stays in the memory of this page: nothing writes it anywhere. */
let typedKey = ""

const fieldOf = ({ example = "", name, required, values }: RequestParameter): Field => {
  const field =
    values === undefined
      ? element("input", { name, value: example, autocomplete: "off", spellcheck: "false" })
      : element(
          "select",
          { name },
          ...(required ? [] : [element("option", { value: "" }, "")]),
          ...values.map((value) => element("option", { value }, value))
        )
  field.required = required
  return field
}

const keyField = ({ key }: DescribedRequest): HTMLInputElement => {
  const field = element("input", { type: "password", autocomplete: "off", spellcheck: "false" })
  field.value = typedKey
  field.required = key === "required"
  field.addEventListener("input", () => {
    typedKey = field.value.trim()
  })
  return field
}

const labelled = (text: string, field: HTMLElement): HTMLLabelElement =>
  element("label", {}, element("span", {}, text), field)

/** What is typed now; empty fields are not sent. */
const valuesOf = (fields: ReadonlyMap<string, Field>): Values =>
  Object.fromEntries(
    [...fields].flatMap(([name, field]) => {
      const value = field.value.trim()
      return value === "" ? [] : [[name, value]]
    })
  )

/** The body as it is typed; undefined while it is no JSON. */
const bodyIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The samples beside the form say what it would send, with a placeholder for the key. */
const followIn = (samples: Element | null, baseUrl: string, request: DescribedRequest, values: Values) => {
  const texts = samplesOf(baseUrl, request, values)
  for (const language of languages) {
    const code = samples?.querySelector(`.${language.toLowerCase()} code`)
    if (code != null) code.textContent = texts[language]
  }
}

const formOf = (place: Element, baseUrl: string, request: DescribedRequest): HTMLFormElement => {
  const form = element("form", {})
  const fields = new Map(request.parameters.map((parameter) => [parameter.name, fieldOf(parameter)]))
  const examples = exampleValues(request)
  for (const [name, field] of fields) field.value = examples[name] ?? ""
  const key = request.key === "none" ? undefined : keyField(request)
  const body =
    request.body === undefined ? undefined : element("textarea", { spellcheck: "false", rows: "7" })
  if (body !== undefined) body.value = JSON.stringify(request.body, null, 2)
  const button = element("button", { type: "submit" }, `Send ${request.method}`)
  const answer = makeAnswerPlace()
  form.append(
    ...request.parameters.flatMap((parameter) => {
      const field = fields.get(parameter.name)
      return field === undefined
        ? []
        : [labelled(`${parameter.name}${parameter.required ? " (required)" : ""}`, field)]
    }),
    ...(key === undefined
      ? []
      : [labelled(request.key === "required" ? "API key (required)" : "API key", key)]),
    ...(body === undefined ? [] : [labelled("Body (JSON)", body)]),
    element("div", {}, button),
    answer.summary,
    answer.content
  )
  const followed = () => {
    const typed = body === undefined ? undefined : bodyIn(body.value)
    const current = typed === undefined ? request : { ...request, body: typed }
    followIn(place.querySelector(".samples"), baseUrl, current, valuesOf(fields))
  }
  form.addEventListener("input", followed)
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    button.disabled = true
    answer.summary.replaceChildren("Asking …")
    const headers: Record<string, string> = {
      ...(key === undefined || typedKey === "" ? {} : { "x-api-key": typedKey }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    }
    ask(targetOf(request, valuesOf(fields)), {
      method: request.method,
      headers,
      ...(body === undefined ? {} : { body: body.value })
    })
      .then(
        (came) => showAnswer(answer, came),
        () => showFailure(answer)
      )
      .finally(() => {
        button.disabled = false
      })
  })
  return form
}

/** A form is made when its place is opened first. */
export const enableTrying = ({ baseUrl, requests }: Tried): void => {
  for (const place of document.querySelectorAll<HTMLElement>("details.try")) {
    const request = requests[place.dataset["of"] ?? ""]
    const example = place.closest(".docs-example")
    if (request === undefined || example === null) continue
    place.addEventListener(
      "toggle",
      () => {
        place.append(formOf(example, baseUrl, request))
      },
      { once: true }
    )
  }
}
