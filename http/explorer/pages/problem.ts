/** A refusal as a page: what is wrong, and where to go on. Made from the problem that a program would get. */
import { Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { nothingThere } from "../../problems/nothingThere.ts"
import { type Html, html } from "../html/markup.ts"
import { morePlaces, places } from "../html/nav.ts"
import { pageHeaders } from "../html/policy.ts"
import { documentOf, type Frame } from "../html/shell.ts"
import { networkPath } from "../html/values.ts"

const Problem = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.String,
    title: Schema.String,
    message: Schema.String,
    request_id: Schema.optionalKey(Schema.String),
    did_you_mean: Schema.optionalKey(Schema.Array(Schema.String))
  })
)
const decode = Schema.decodeUnknownSync(Problem)

/** A path within a sentence for programs. */
const path = /(\/[a-z][a-z\d/_.-]*[a-z\d])/

/** A text for programs with its paths as links. */
const linked = (text: string): Html =>
  html`${text.split(path).map((part, n) => (n % 2 === 0 ? part : html`<a href="${part}">${part}</a>`))}`

const suggested = (symbol: string): Html =>
  html`<li><a href="${networkPath(symbol)}">${bySymbol.get(symbol)?.name ?? symbol}</a> <code>${symbol}</code></li>`

const unknownNetwork = "unknown_symbol"

/** Heading and first sentence for people. */
const wordsOf = ({
  error,
  message,
  title
}: Pick<typeof Problem.Type, "error" | "message" | "title">): readonly [heading: string, lede: string] => {
  if (error === unknownNetwork) return ["No such network", "No network has this symbol or name."]
  return message === nothingThere
    ? ["No such page", "Nothing is at this address. These are the pages that others begin with:"]
    : [title, message]
}

/** Where to go on from an address without anything. */
const beginnings = html`<ul class="beginnings">${[...places, ...morePlaces].map(({ name, path }) => html`<li><a href="${path}">${name}</a></li>`)}</ul>`

export interface ProblemPage {
  readonly contentType: string
  readonly headers: Readonly<Record<string, string>>
  /** The page for a problem's JSON. */
  readonly text: (problem: string) => string
  /** The response with its problem as a page; any other response as it is. */
  readonly of: (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse
}

export const makeProblemPage = (frame: Frame): ProblemPage => {
  const contentType = "text/html; charset=utf-8"
  const headers = pageHeaders()
  const text = (problem: string): string => {
    const { did_you_mean = [], error, message, request_id, title } = decode(problem)
    const [heading, lede] = wordsOf({ error, message, title })
    const body = html`<h1>${heading}</h1>
<p class="lede">${linked(lede)}</p>
${message === nothingThere && beginnings}
${did_you_mean.length > 0 && html`<h2>Did you mean</h2><ul>${did_you_mean.map(suggested)}</ul>`}
${request_id !== undefined && html`<p>Request <code>${request_id}</code></p>`}
${message === nothingThere ? html`<p>Or search above.</p>` : html`<p><a href="/networks">All networks</a> · <a href="/docs">API documentation</a>, or search above.</p>`}`
    return String(documentOf({ title: heading, description: lede, path: "", body }, frame))
  }
  return {
    contentType,
    headers,
    text,
    of: (response) => {
      const { body, status } = response
      const isProblem = response.headers["content-type"]?.startsWith("application/problem+json") === true
      if (!isProblem || body._tag !== "Uint8Array") return response
      const responseHeaders = Object.fromEntries(
        Object.entries(response.headers).filter(
          ([name]) => name !== "content-type" && name !== "content-length"
        )
      )
      return HttpServerResponse.text(text(Buffer.from(body.body).toString("utf8")), {
        status,
        contentType,
        headers: { ...responseHeaders, ...headers }
      })
    }
  }
}
