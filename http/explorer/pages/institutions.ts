/** What a desk, a fund or an agency gets, with a file to look at before anybody talks to anybody. */
import { Effect } from "effect"
import { RecentDays } from "../../../core/readings/read/RecentDays.ts"
import { tiersWith, tierUnlocks } from "../../../core/wire/credits/tiers.ts"
import { type Assurances, assurances } from "../../assurances.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { Operator, type OperatorDetails } from "../../Operator.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { proofSentence } from "../html/assuranceWords.ts"
import { commandBlock } from "../html/command.ts"
import { mailLink, noAddress } from "../html/contact.ts"
import { formatDay } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"

const parquetPath = (day: string): string => `/v1/archive/daily/${day.replaceAll("-", "/")}.parquet`

/** What is delivered, and what can be held against it. */
const what = (here: Assurances): Html => {
  const [pushed = "enterprise"] = tiersWith("webhooks")
  return html`<section aria-labelledby="gets"><h2 id="gets">What you can count on</h2><dl class="facts">
<dt>Whole days</dt><dd>A Parquet file for each closed day, open to everybody; files of months and years, as far back as <a href="/products#tiers">a tier</a> reaches; and one Iceberg table with a snapshot for each day. <a href="/docs/recipes">Recipes</a> read them with DuckDB and others.</dd>
<dt>As known at</dt><dd>History can be read as it was known at any time, so that a backtest sees no later correction: <a href="/docs/history">by the API</a>, and on each chart, comparison and map of these pages.</dd>
<dt>Pushed</dt><dd>What happened, as <a href="/docs/events-alerts-and-webhooks">a stream of events</a>; as signed webhooks from the tier ${tierUnlocks[pushed].title} on.</dd>
<dt>Proof</dt><dd>${proofSentence(here)}</dd>
<dt>Rights</dt><dd>Licence and whom to credit stand in every row. What <a href="/sources">a source</a> does not let be handed on or sold is in no file and no product, and its row says so.</dd>
<dt>Corrections</dt><dd><a href="/corrections">What was wrong</a> is listed with both values and the reason.</dd>
<dt>Service levels</dt><dd><a href="/status">What is promised and what was kept</a>, measured by the service itself.</dd></dl></section>`
}

/** Whom to talk to; where nobody is named, what needs nobody. */
const ask = (operator: OperatorDetails): Html => {
  const { salesUrl } = operator
  const mail = mailLink(operator, "Write to the operator", {
    subject: "Plumbline for an institution",
    lines: [
      "What we want to do:",
      "",
      "Networks or metrics that matter:",
      "",
      "How we want it delivered:",
      ""
    ]
  })
  return salesUrl === undefined && mail === undefined
    ? html`<h2 id="ask">Without talking to anybody</h2>
<p>${noAddress} What is here needs none: <a href="/account">make a key</a>, <a href="/docs">read with it</a>, and <a href="/products">see what can be bought, and how</a>. A contract needs somebody to sign it: <a href="/about">who runs this service</a>.</p>`
    : html`<h2 id="ask">Talk to somebody</h2>
<p>${salesUrl !== undefined && html`<a href="${salesUrl}">Ask for a contract</a>`}${salesUrl !== undefined && mail !== undefined && " · "}${mail}</p>`
}

export const institutions = Effect.gen(function* () {
  const operator = yield* Operator
  const here = yield* orProblem(assurances)
  const { closed } = yield* orProblem((yield* RecentDays).memory)
  const { baseUrl } = yield* HttpSettings
  return yield* respondPage({
    title: "For institutions",
    description:
      "Whole days as files, history as it was known at the time, corrections, service levels, and a sample.",
    path: "/institutions",
    script: "page",
    body: html`<h1>For institutions</h1>
<p class="lede">The record is open to everybody. What is sold is the present moment in one call, depth, joins, delivery and a promise of service.</p>
<section aria-labelledby="sample"><h2 id="sample">A file to look at</h2>
${
  closed === undefined
    ? html`<p>No day is closed yet.</p>`
    : html`<p>Every value of ${formatDay(closed)}, with source, time and unit, as it was sealed:</p>
<div class="actions"><a class="button" href="${parquetPath(closed)}">Parquet</a><a class="button" href="/v1/log/batches/${closed}/leaves">JSON lines</a><a class="button" href="/log/${closed}">The day in the log</a></div>
<p>DuckDB reads it where it is, without a key and without a download of your own:</p>${commandBlock(`duckdb -c "select symbol, metric, value, unit, source from '${baseUrl}${parquetPath(closed)}' limit 10"`)}`
}</section>
${what(here)}
<section aria-labelledby="ask">${ask(operator)}
<p>The tiers and their prices are on <a href="/products">the products’ page</a>; invoices, data processing and cancellation are in <a href="/terms">the terms</a>.</p></section>`
  })
})
