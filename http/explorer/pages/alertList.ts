/** The alerts of an account in words, each with buttons that pause and end it: for whoever has the key, and without a script. */
import { Effect, Redacted } from "effect"
import { Alerts } from "../../../core/alerts/Alerts.ts"
import { Accounts } from "../../../core/credits/Accounts.ts"
import { requireScope } from "../../../core/credits/keys/ApiKey.ts"
import type { Alert } from "../../../core/wire/alerts/alert.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { alertState, alertWords } from "../html/alertWords.ts"
import { type Html, html } from "../html/markup.ts"
import { metricPath, networkPath } from "../html/values.ts"
import { privatePage } from "./alertLinks.ts"

/** Where the form is sent. */
export const alertListPath = "/alerts/mine"

const subject = ({ metric, symbol }: Alert, words: string): Html => {
  if (symbol === undefined) return html`${words}`
  return html`<a href="${metric === undefined ? networkPath(symbol) : metricPath(symbol, metric)}">${words}</a>`
}

type PathTo = Alerts["Service"]["pathTo"]

/** What can be done with an alert now. One that waits for its confirmation is looked at by nobody. */
const deedsOf = ({ state }: Alert) =>
  state === "unconfirmed"
    ? ([["end", "End"]] as const)
    : state === "paused"
      ? ([
          ["resume", "Resume"],
          ["end", "End"]
        ] as const)
      : ([
          ["pause", "Pause"],
          ["end", "End"]
        ] as const)

const entry = (alert: Alert, pathTo: PathTo): Html => {
  const words = alertWords(alert)
  return html`<li><form method="post">${subject(alert, words)}${deedsOf(alert).map(
    ([kind, name]) =>
      html` <button type="submit" class="small" formaction="${pathTo(kind, alert.id)}">${name}<span class="visually-hidden">: ${words}</span></button>`
  )}</form><span class="sub">${alertState(alert)}</span></li>`
}

export const alertList = Effect.fn("explorer.alertList")(function* ({ key }: { readonly key: string }) {
  const account = yield* (yield* Accounts).authenticate(Redacted.make(key))
  yield* requireScope(account, "account")
  const { list, pathTo } = yield* Alerts
  const { alerts, limit } = yield* list(account)
  return yield* privatePage(
    "Your alerts",
    alerts.length === 0
      ? html`<p class="lede">This account has none. “Tell me when” on the page of a metric makes one.</p>`
      : html`<p class="lede">${alerts.length} of the ${limit} that this account can have.</p><ul class="plain">${alerts.map((alert) => entry(alert, pathTo))}</ul>`
  )
}, orProblem)
