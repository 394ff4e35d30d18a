/** The page of the watchlist. It is the same for everybody: the list is in the browser, and its script shows it. */
import { Effect } from "effect"
import { html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"
import { mostWatched } from "../html/watch.ts"
import { alertListPath } from "./alertList.ts"
import { dayFeedPath } from "./dayFeed.ts"
import { morningForm } from "./mornings.ts"

export const watchlist = Effect.gen(function* () {
  return yield* respondPage({
    title: "Watchlist",
    description:
      "The networks and metrics that you marked with a star, with their values. The list lives in your browser, without an account.",
    path: "/watchlist",
    script: "watchlist",
    body: html`<h1>Watchlist</h1>
<p class="lede">What you marked with a star, with its newest value and its change. The list lives in this browser alone: no account, and nothing of it is stored by the service unless you have it sent to you by mail.</p>
<noscript><p>This page needs a script, because the list lives in the browser. Without one, ask for the networks by name: <a href="/v1/history?network=FIL,HNT&amp;metrics=price_usd">/v1/history?network=FIL,HNT&amp;metrics=price_usd</a>, or put up to six series side by side at <a href="/compare">Compare</a>.</p></noscript>
<div id="watchlist" class="needs-script">
<div id="offer"></div>
<p id="none" hidden>Nothing is watched yet. Press the star beside the name of a <a href="/networks">network</a>, or of a metric on its page. It holds up to ${mostWatched} entries.</p>
<p id="said" role="status" class="readout"></p>
<div id="watched"></div>
</div>
<div class="columns"><section id="exchange" class="needs-script" aria-labelledby="take"><h2 id="take">Take it with you</h2>
<p>To another browser, or to somebody else. A link has the list after its <code>#</code>, which no browser sends to the service. Whoever opens it sees the list first, and adds it by a button.</p>
<div class="actions"><button type="button" id="save">Save as a file</button><button type="button" id="empty">Empty the list</button></div>
<p><label>Add from a file <input type="file" id="file" accept=".json,application/json"></label></p>
<div id="morning" hidden><h3>Every morning</h3><p>Yesterday in five lines: <a href="${dayFeedPath}">this list as an Atom feed</a>. Its address names what is on the list.</p>${yield* morningForm(false)}</div>
<h3><label for="link">As a link</label></h3><textarea id="link" rows="2" readonly></textarea></section>
<section aria-labelledby="alerts-title"><h2 id="alerts-title">Alerts</h2>
<p>What you are told of, from “Tell me when” on the page of a metric. Each message has an address that ends its alert; all of an account are listed with its key, which is sent to this site alone.</p>
<form class="filters" action="${alertListPath}" method="post"><label>API key<input name="key" type="password" autocomplete="off" spellcheck="false" required maxlength="100"></label><button type="submit">List them</button></form></section></div>`
  })
})
