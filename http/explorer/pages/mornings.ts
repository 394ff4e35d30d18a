/** Yesterday by mail, without a key: the form that asks for it, and the addresses in its messages. A GET changes nothing. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Alerts } from "../../../core/alerts/Alerts.ts"
import { DayWords } from "../../../core/alerts/DayWords.ts"
import { Mornings } from "../../../core/alerts/Mornings.ts"
import { Log, LogKey } from "../../../core/log/Log.ts"
import { factsOfDay } from "../../../core/log/record/changesOfDay.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { providing } from "../../../core/process/providing.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { RecentDays } from "../../../core/readings/read/RecentDays.ts"
import { forShow } from "../../../core/readings/read/rights.ts"
import { Versions } from "../../../core/readings/read/Versions.ts"
import type { MorningForm } from "../../../core/wire/alerts/alert.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { callerNetwork } from "../../request/callerNetwork.ts"
import { dayLines } from "../html/dayLines.ts"
import { categoryTitle } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { type Link, linkButton, privatePage } from "./alertLinks.ts"
import { scopeOf } from "./dayFeed.ts"

const linesOf = Effect.fn("explorer.linesOf")(function* (date: string, scope: ReadonlyArray<string> | null) {
  const facts = yield* forShow(factsOfDay(date, scope === null ? undefined : new Set(scope)))
  return facts && dayLines(facts).map(({ text }) => text)
})

/** The words of a closed day, for whoever sends them. */
export const dayWords = Layer.effect(
  DayWords,
  Effect.map(providing(SqlClient.SqlClient, Feeds, Log, LogKey, RecentDays, Versions), (provided) =>
    DayWords.of({ linesOf: provided(linesOf) })
  )
)

/** The form of a page; nothing where this service sends no mail. `chooses`: of what is entered there, and else put in by a script. */
export const morningForm = Effect.fn("explorer.morningForm")(function* (chooses: boolean) {
  const { offered } = yield* Alerts
  if (!offered.has("email")) return html`<p class="quiet">This service sends no mail.</p>`
  return html`<form class="filters${chooses ? "" : " needs-script"}" action="/mornings" method="post">
<label>E-mail<input name="email" type="email" maxlength="254" autocomplete="email" required></label>
${
  chooses
    ? html`<label>Of<select name="category"><option value="">everything</option>${Category.literals.map((one) => html`<option value="${one}">${categoryTitle(one)}</option>`)}</select></label>
<label>or what you name<input name="symbol" placeholder="FIL,HNT/devices_total" maxlength="4000" spellcheck="false" autocomplete="off"></label>`
    : html`<input type="hidden" name="category" value=""><input type="hidden" name="symbol" value="">`
}
<button type="submit">Send me yesterday</button></form>
<p class="quiet">Five lines each morning, without an account. A first mail asks whether it was you; every mail has an address that ends it, and the address is then removed.</p>`
})

export const askForMorning = Effect.fn("explorer.askForMorning")(function* ({
  category,
  email,
  symbol
}: typeof MorningForm.Type) {
  const { scope, title } = yield* scopeOf({
    ...(symbol.trim() === "" ? {} : { symbol }),
    ...(category === "" ? {} : { category })
  })
  const { create } = yield* Mornings
  yield* create(
    { address: email, scope: scope === undefined ? null : [...scope], title },
    yield* callerNetwork
  )
  return yield* privatePage(
    "Open your mail",
    html`<p class="lede">A message was just sent to ${email}. Nothing else comes before you confirm it there.</p><p>Yesterday in five lines, of ${title}.</p>`
  )
}, orProblem)

const of = (title: string): Html =>
  html`<p class="lede">Yesterday in five lines every morning, of ${title}.</p>`

export const confirmMorningPage = Effect.fn("explorer.confirmMorningPage")(function* ({ id, token }: Link) {
  const { state, title } = yield* orProblem((yield* Mornings).linked("confirm", id, token))
  return yield* privatePage(
    "Confirm: yesterday by mail",
    html`${of(title)}${state === "active" ? html`<p>It is confirmed. Every message has an address that ends it.</p>` : linkButton(`/mornings/${id}/confirm/${token}`, "Send it to me")}`
  )
})

export const confirmMorning = Effect.fn("explorer.confirmMorning")(function* ({ id, token }: Link) {
  const { title } = yield* orProblem((yield* Mornings).confirm(id, token))
  return yield* privatePage(
    "Yesterday comes by mail",
    html`${of(title)}<p>The first one comes when the next day is closed, at 08:00 UTC. Every message has an address that ends it.</p>`
  )
})

export const endMorningPage = Effect.fn("explorer.endMorningPage")(function* ({ id, token }: Link) {
  const { title } = yield* orProblem((yield* Mornings).linked("end", id, token))
  return yield* privatePage(
    "End yesterday by mail",
    html`${of(title)}${linkButton(`/mornings/${id}/end/${token}`, "End it")}`
  )
})

export const endMorning = Effect.fn("explorer.endMorning")(function* ({ id, token }: Link) {
  const { title } = yield* orProblem((yield* Mornings).end(id, token))
  return yield* privatePage(
    "Yesterday by mail is ended",
    html`${of(title)}<p>No more messages come, and your address is removed.</p>`
  )
})
