/** A document for the frame of another site: no header, no script. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Assets } from "../assets/Assets.ts"
import { type Html, html } from "../html/markup.ts"
import { pageHeaders } from "../html/policy.ts"

interface Framed {
  readonly title: string
  /** The whole address of the page that has the proof. */
  readonly address: string
  readonly body: Html
}

/** The document as a response that other sites may frame. */
export const framed = Effect.fnUntraced(function* ({ address, body, title }: Framed) {
  const assets = yield* Assets
  return HttpServerResponse.text(
    String(html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><meta name="robots" content="noindex"><link rel="canonical" href="${address}">
<link rel="stylesheet" href="${assets.address("styles/main.css")}"></head>
<body class="embed"><main>${body}</main></body></html>
`),
    { contentType: "text/html; charset=utf-8", headers: pageHeaders(true) }
  )
})
