/** The form that makes an alert on a metric: it works without a script, with the key of an account. */
import { type Unit, wordOf } from "../../../core/plugin/units.ts"
import type { ChannelKind } from "../../../core/wire/alerts/alert.ts"
import { type Html, html } from "./markup.ts"

/** The unit of a bound, where the number alone does not say it. */
const inUnit = (unit: Unit): string =>
  unit.startsWith("usd") ? " in US dollars" : wordOf(unit) === "" ? "" : ` in ${wordOf(unit)}`

/** The path that takes the form. */
export const alertFormPath = "/alerts"

export const alertForm = (
  of: { readonly symbol: string; readonly metric: string; readonly source: string; readonly unit: Unit },
  offered: ReadonlySet<ChannelKind>
): Html =>
  html`<p>A message when the value crosses a bound, with its source and its proof. <a href="/docs#post-/v1/alerts">More conditions and channels</a> by REST and MCP.</p>
<form class="filters" action="${alertFormPath}" method="post">
<input type="hidden" name="symbol" value="${of.symbol}"><input type="hidden" name="metric" value="${of.metric}"><input type="hidden" name="source" value="${of.source}">
<label>It is<select name="kind"><option value="above">above</option><option value="below">below</option></select></label>
<label>Value${inUnit(of.unit)}<input name="value" inputmode="decimal" required maxlength="40" pattern="-?[0-9]+([.][0-9]+)?"></label>
${offered.has("email") ? html`<label>E-mail (none: an Atom feed)<input name="email" type="email" maxlength="254" autocomplete="email"></label>` : html`<input type="hidden" name="email" value="">`}
<label>API key<input name="key" type="password" autocomplete="off" spellcheck="false" required maxlength="100"></label>
<button type="submit">Tell me</button></form>
<p class="quiet">A key is free on <a href="/account">your account's page</a>, with three alerts. The key is sent to this site alone.</p>`
