/** The pages of prose: documentation, terms and problems. They state no datum, so their footer says nothing of the log. */
import { HttpServerResponse } from "effect/http"
import { raw } from "../explorer/html/markup.ts"
import { pageHeaders } from "../explorer/html/policy.ts"
import { documentOf, type Frame } from "../explorer/html/shell.ts"

/** What a page of prose says; `body` is HTML. */
export interface Prose {
  readonly title: string
  /** One sentence for search engines and previews. */
  readonly description: string
  readonly path: string
  readonly body: string
}

/** A complete page as a response. */
export const page = (
  { body, ...about }: Prose,
  frame: Pick<Frame, "assets" | "settings">
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    String(documentOf({ ...about, body: raw(`<div class="prose">${body}</div>`), script: "page" }, frame)),
    { contentType: "text/html; charset=utf-8", headers: pageHeaders() }
  )
