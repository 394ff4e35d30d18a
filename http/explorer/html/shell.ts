/** The frame of every page: head, header, footer, and the response around them. */
import { Clock, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import * as DataClock from "../../../core/clock/DataClock.ts"
import { Log } from "../../../core/log/Log.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { RecentDays } from "../../../core/readings/read/RecentDays.ts"
import { periods } from "../../../core/readings/read/Versions.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { Signer } from "../../signing/Signer.ts"
import { Assets } from "../assets/Assets.ts"
import { absent, formatDay, formatTime } from "./format.ts"
import { type Html, html, raw } from "./markup.ts"
import { more, morePlaces, networksPath, placeOf, places } from "./nav.ts"
import { pageHeaders } from "./policy.ts"

export interface Page {
  /** Without the name of the service. */
  readonly title: string
  /** One sentence for search engines and previews. */
  readonly description: string
  /** The canonical path, with the query that belongs to it; empty for a page that has none, such as a refusal. */
  readonly path: string
  readonly body: Html
  /** A file of `client/` by its name, for a page that has a script. */
  readonly script?: string
  readonly status?: number
  /** What was searched for. */
  readonly query?: string
  /** Path of a picture for previews. */
  readonly picture?: string
  /** Further elements of the head. */
  readonly head?: Html | false
}

/** The time that a page speaks of, epoch milliseconds: the data clock's last full ten seconds. */
export const pageTime: Effect.Effect<number> = Effect.map(
  DataClock.now,
  (now) => Math.floor(now / periods.clock) * periods.clock
)

/**
 * Turns a time of the wall clock, which keys, sales and heads go by, into that of the page's clock: the same but in the demo.
 * Epoch milliseconds.
 */
export const onPageClock: Effect.Effect<(wall: number) => number> = Effect.map(
  DataClock.offset,
  (ahead) => (wall: number) => wall + ahead
)

const mark = raw(
  '<svg viewBox="0 0 14 26" aria-hidden="true" focusable="false"><path d="M7 0v16" fill="none" stroke="currentColor" stroke-width="1.2"/><path d="M2.500 15h9L7 25z" class="bob"/></svg>'
)

/** What the footer says of the service. */
const stateOf = Effect.gen(function* () {
  const signer = yield* Signer
  const { served } = yield* Log
  const recent = yield* orProblem((yield* RecentDays).memory)
  return {
    kid: signer.key(yield* Clock.currentTimeMillis).kid,
    size: (yield* served).size,
    closed: recent.closed,
    now: isoTime(yield* pageTime)
  }
})

const banner = (mode: "live" | "replay" | "mapped"): Html | false =>
  mode !== "live" &&
  html`<aside class="banner" aria-label="Notice"><div class="wide">${
    mode === "replay"
      ? "Demonstration: every value on this site is simulated, and none is live."
      : "Test service: upstream hosts are redirected to stand-ins, so nothing here is live."
  }</div></aside>`

const searchForm = (
  query: string
): Html => html`<form class="search" action="${networksPath}" method="get" role="search">
<label class="visually-hidden" for="q">Search networks and metrics</label>
<input id="q" name="q" type="search" value="${query}" placeholder="Search networks and metrics" autocomplete="off" maxlength="100">
<button type="submit">Search</button></form>`

const currentOf = (path: string, place: string): Html | string =>
  place === placeOf(path) ? raw(` aria-current="${place === path ? "page" : "true"}"`) : ""

const header = (path: string, query: string): Html => html`<header class="head"><div class="wide">
<a class="wordmark" href="/">${mark}Plumbline</a>
<nav aria-label="Main">${places.map(
  (place) => html`<a href="${place.path}"${currentOf(path, place.path)}>${place.name}</a>`
)}<a href="#more">More</a></nav>
${searchForm(query)}
</div></header>`

type State = Effect.Success<typeof stateOf>

const ofState = ({ closed, kid, now, size }: State): Html => html`<dl>
<div><dt>Log</dt><dd><a href="/log">${size} ${size === 1 ? "entry" : "entries"}</a></dd></div>
<div><dt>Last closed day</dt><dd>${closed === undefined ? absent : html`<a href="/log/${closed}">${formatDay(closed)}</a>`}</dd></div>
<div><dt>This page</dt><dd><time datetime="${now}">${formatTime(now)}</time></dd></div>
</dl>
<p>This page's data is signed by key <a href="/.well-known/service-signing-key.json"><code>${kid}</code></a>.
<span id="log-check"></span></p>`

const listed = (all: typeof more, current: string): Html =>
  html`${all.map(({ name, path }) => html`<a href="${path}"${currentOf(current, path)}>${name}</a>`)}`

const footer = (state: State | undefined, path: string): Html => html`<footer class="foot"><div class="wide">
${state !== undefined && ofState(state)}
<p class="quiet">Measurements, not investment advice. What was not measured is shown as ${absent}, never as 0.</p>
<nav id="more" aria-label="More"><div>${listed(morePlaces, path)}</div>${listed(more, path)}</nav>
</div></footer>`

/** What a document is made with. A page that states no datum, such as a refusal, has no `state`. */
export interface Frame {
  readonly settings: Pick<HttpSettings["Service"], "baseUrl" | "mode">
  readonly assets: Pick<Assets["Service"], "address">
  readonly state?: State
  /** By how many milliseconds the clock of the page is ahead of the wall clock; 0, or left out, but in the demo. */
  readonly ahead?: number
}

export const documentOf = (page: Page, { ahead = 0, assets, settings, state }: Frame): Html => {
  const { body, description, head, path, picture, query = "", script, title } = page
  const { baseUrl, mode } = settings
  const whole = path === "/" ? `Plumbline: ${title}` : `${title} · Plumbline`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${whole}</title>
<meta name="description" content="${description}">
${path !== "" && html`<link rel="canonical" href="${baseUrl}${path}">`}
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#fbfaf7">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#14171a">
<meta property="og:site_name" content="Plumbline">
<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${baseUrl}${path}">
${picture !== undefined && html`<meta property="og:image" content="${baseUrl}${picture}"><meta property="og:image:width" content="1200"><meta property="og:image:height" content="630"><meta property="og:image:alt" content="${title}"><meta name="twitter:card" content="summary_large_image">`}
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${assets.address("ibm-plex-sans-latin-400-normal.woff2")}">
<link rel="preload" as="font" type="font/woff2" crossorigin href="${assets.address("ibm-plex-sans-latin-600-normal.woff2")}">
<link rel="stylesheet" href="${assets.address("styles/main.css")}">
${script !== undefined && html`<script type="module" src="${assets.address(`client/${script}.ts`)}" data-worker="${assets.address("client/worker.ts")}"></script>`}
${head}
</head>
<body${ahead !== 0 && html` data-ahead="${ahead}"`}>
<a class="skip" href="#main">Skip to content</a>
${banner(mode)}${header(path, query)}
<main id="main" class="wide">${body}</main>
${footer(state, path)}
</body>
</html>
`
}

/** A page as a response. */
export const respondPage = Effect.fn("explorer.respondPage")(function* (page: Page) {
  const frame = {
    assets: yield* Assets,
    settings: yield* HttpSettings,
    state: yield* stateOf,
    ahead: yield* DataClock.offset
  }
  return HttpServerResponse.text(String(documentOf(page, frame)), {
    status: page.status ?? 200,
    contentType: "text/html; charset=utf-8",
    headers: pageHeaders()
  })
})
