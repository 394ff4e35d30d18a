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
  /** The documentation has columns, and a script of its own. */
  readonly isDocumentation?: boolean
}

/** A complete page as a response. */
export const page = (
  { body, isDocumentation = false, ...about }: Prose,
  frame: Pick<Frame, "assets" | "settings">
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    String(
      documentOf(
        {
          ...about,
          body: raw(`<div class="${isDocumentation ? "prose docs" : "prose"}">${body}</div>`),
          script: isDocumentation ? "docs" : "page"
        },
        frame
      )
    ),
    { contentType: "text/html; charset=utf-8", headers: pageHeaders() }
  )
