/** A refusal as a page: what is wrong, and where to go on. Made from the problem that a program would get. */
import { Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { html } from "../html/markup.ts"
import { pageHeaders } from "../html/policy.ts"
import { documentOf, type Frame } from "../html/shell.ts"
import { networkPath } from "../html/values.ts"

const Problem = Schema.fromJsonString(
  Schema.Struct({
    title: Schema.String,
    message: Schema.String,
    status: Schema.Int,
    request_id: Schema.optionalKey(Schema.String),
    did_you_mean: Schema.optionalKey(Schema.Array(Schema.String))
  })
)
const decode = Schema.decodeUnknownSync(Problem)

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
    const { did_you_mean = [], message, request_id, status, title } = decode(problem)
    const body = html`<h1>${status === 404 && did_you_mean.length === 0 ? "Not found" : title}</h1>
<p class="lede">${message}</p>
${
  did_you_mean.length > 0 &&
  html`<h2>Did you mean</h2><ul>${did_you_mean.map((symbol) => html`<li><a href="${networkPath(symbol)}">${symbol}</a></li>`)}</ul>`
}
${request_id !== undefined && html`<p>Request <code>${request_id}</code></p>`}
<p><a href="/">All networks</a> · <a href="/docs">API documentation</a>, or search above.</p>`
    return String(documentOf({ title, description: message, path: "", body }, frame))
  }
  return {
    contentType,
    headers,
    text,
    of: (response) => {
      const { body, status } = response
      const isProblem = response.headers["content-type"]?.startsWith("application/problem+json") === true
      if (!isProblem || body._tag !== "Uint8Array") return response
      const kept = Object.fromEntries(
        Object.entries(response.headers).filter(
          ([name]) => name !== "content-type" && name !== "content-length"
        )
      )
      return HttpServerResponse.text(text(Buffer.from(body.body).toString("utf8")), {
        status,
        contentType,
        headers: { ...kept, ...headers }
      })
    }
  }
}
