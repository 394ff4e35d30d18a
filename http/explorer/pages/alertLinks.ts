/**
 * The addresses in the messages of alerts. A GET changes nothing, because scanners of mail open every address: it shows a
 * button, and the POST of the button does it. Mail clients send that POST by themselves (RFC 8058).
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { Alerts, type LinkedAlert } from "../../../core/alerts/Alerts.ts"
import type { AlertCrossing } from "../../../core/wire/alerts/alert.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { type AtomEntry, atomResponse } from "../html/atom.ts"
import { type Html, html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"

/** What an address of a message names. */
export interface Link {
  readonly id: string
  readonly token: string
}

/** A page for whoever has the address: kept nowhere, found by no search, and named to no other site. */
export const privatePage = (title: string, body: Html) =>
  Effect.map(
    respondPage({
      title,
      description: "For whoever has this address.",
      path: "",
      head: html`<meta name="robots" content="noindex">`,
      script: "page",
      body: html`<h1>${title}</h1>${body}`
    }),
    HttpServerResponse.setHeaders({
      "cache-control": "private, no-store",
      "referrer-policy": "no-referrer"
    })
  )

const says = (alert: LinkedAlert): Html => html`<p class="lede">${alert.says}</p>`

/** The button that does what an address is for. */
export const linkButton = (path: string, label: string): Html =>
  html`<form class="stack" action="${path}" method="post"><button type="submit" class="primary">${label}</button></form>`

export const confirmPage = Effect.fn("alertLinks.confirmPage")(function* ({ id, token }: Link) {
  const alert = yield* orProblem((yield* Alerts).linked("confirm", id, token))
  return yield* privatePage(
    "Confirm an alert",
    html`${says(alert)}${
      alert.state === "active"
        ? html`<p>It is confirmed. Every message has an address that ends it.</p>`
        : html`<p>You get a message when this becomes true. Every message has an address that ends it.</p>
${linkButton(`/alerts/${id}/confirm/${token}`, "Confirm the alert")}`
    }`
  )
})

export const confirm = Effect.fn("alertLinks.confirm")(function* ({ id, token }: Link) {
  const alert = yield* orProblem((yield* Alerts).confirm(id, token))
  return yield* privatePage(
    "The alert is confirmed",
    html`${says(alert)}<p>From now on you get a message when this becomes true. Every message has an address that ends it.</p>`
  )
})

export const endPage = Effect.fn("alertLinks.endPage")(function* ({ id, token }: Link) {
  const alert = yield* orProblem((yield* Alerts).linked("end", id, token))
  return yield* privatePage(
    "End an alert",
    html`${says(alert)}${linkButton(`/alerts/${id}/end/${token}`, "End the alert")}`
  )
})

export const end = Effect.fn("alertLinks.end")(function* ({ id, token }: Link) {
  const alert = yield* orProblem((yield* Alerts).end(id, token))
  return yield* privatePage(
    "The alert is ended",
    html`${says(alert)}<p>You get no more messages about it, and your address is removed.</p>`
  )
})

/** Where they are listed again. */
const back = html`<p><a href="/watchlist#alerts-title">Your alerts</a></p>`

export const pause = Effect.fn("alertLinks.pause")(function* ({ id, token }: Link) {
  const alert = yield* orProblem((yield* Alerts).pause(id, token))
  return yield* privatePage(
    "The alert is paused",
    html`${says(alert)}<p>Nothing is looked at until you resume it. What was recorded before is still sent.</p>${back}`
  )
})

export const resume = Effect.fn("alertLinks.resume")(function* ({ id, token }: Link) {
  const alert = yield* orProblem((yield* Alerts).resume(id, token))
  return yield* privatePage(
    "The alert is resumed",
    html`${says(alert)}<p>You get a message when this becomes true again; what is true already is none.</p>${back}`
  )
})

export const refuseMailPage = Effect.fn("alertLinks.refuseMailPage")(function* ({ id, token }: Link) {
  const mailbox = yield* orProblem((yield* Alerts).mailbox(id, token))
  return yield* privatePage(
    "Refuse all mail",
    html`<p class="lede">${mailbox} gets no mail from this service any more, whoever asks for it. Alerts that go there end.</p>
${linkButton(`/alerts/${id}/never/${token}`, "Never write to me again")}`
  )
})

export const refuseMail = Effect.fn("alertLinks.refuseMail")(function* ({ id, token }: Link) {
  const mailbox = yield* orProblem((yield* Alerts).refuseMail(id, token))
  return yield* privatePage(
    "All mail is refused",
    html`<p class="lede">${mailbox} gets no mail from this service any more, whoever asks for it.</p>`
  )
})

const entryOf = (crossing: AlertCrossing): AtomEntry => ({
  id: `urn:plumbline:crossing:${crossing.id}`,
  title: crossing.says,
  updated: crossing.at,
  page: { href: crossing.proof_url, type: "application/json" },
  summary:
    crossing.source === undefined
      ? crossing.says
      : `${crossing.says} Source: ${crossing.source}${crossing.verify_url === undefined ? "" : `, ${crossing.verify_url}`}. Proof: ${crossing.proof_url}`
})

export const feed = Effect.fn("alertLinks.feed")(function* ({ id, token }: Link) {
  const { baseUrl } = yield* HttpSettings
  const { alert, crossings } = yield* orProblem((yield* Alerts).feed(id, token))
  return atomResponse(
    {
      id: `urn:plumbline:alert:${id}`,
      title: `Plumbline: ${alert.says}`,
      self: `${baseUrl}/alerts/${id}/feed/${token}`,
      entries: crossings.map(entryOf)
    },
    { "cache-control": "private, no-store", "x-robots-tag": "noindex" }
  )
})
