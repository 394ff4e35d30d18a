/** The alert that the form of a metric's page makes. */
import { Effect, Redacted } from "effect"
import { Alerts } from "../../../core/alerts/Alerts.ts"
import { requestOf } from "../../../core/alerts/requestOf.ts"
import { Accounts } from "../../../core/credits/Accounts.ts"
import { requireScope } from "../../../core/credits/keys/ApiKey.ts"
import type { AlertForm } from "../../../core/wire/alerts/alert.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { callerNetwork } from "../../request/callerNetwork.ts"
import { html } from "../html/markup.ts"
import { privatePage } from "./alertLinks.ts"

export const tellMe = Effect.fn("explorer.tellMe")(function* ({
  email,
  key,
  kind,
  metric,
  source,
  symbol,
  value
}: typeof AlertForm.Type) {
  const account = yield* (yield* Accounts).authenticate(Redacted.make(key))
  yield* requireScope(account, "account")
  const request = yield* requestOf({
    condition: { kind, value },
    symbol,
    metric,
    source,
    channel: email === "" ? { kind: "feed" } : { kind: "email", address: email }
  })
  const alert = yield* (yield* Alerts).create(account, request, yield* callerNetwork)
  return yield* privatePage(
    "The alert is made",
    html`<p class="lede">${alert.says}</p>
${
  alert.state === "active"
    ? html`<p>It is looked at from now on.</p>`
    : html`<p>Open the mail that was just sent to ${email} and confirm it: nothing is looked at before.</p>`
}
<p>Atom feed of what happens, which whoever knows its address can read: <a href="${alert.feed_url}"><code>${alert.feed_url}</code></a></p>`
  )
}, orProblem)
