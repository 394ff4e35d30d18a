/** What a desk, a fund or an agency gets, with a file to look at before anybody talks to anybody. */
import { Effect } from "effect"
import { RecentDays } from "../../../core/readings/read/RecentDays.ts"
import { assurances } from "../../assurances.ts"
import { Operator } from "../../Operator.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { proofSentence } from "../html/assuranceWords.ts"
import { mailLink, noAddress } from "../html/contact.ts"
import { formatDay } from "../html/format.ts"
import { html } from "../html/markup.ts"
import { respondPage } from "../html/shell.ts"

export const institutions = Effect.gen(function* () {
  const operator = yield* Operator
  const here = yield* orProblem(assurances)
  const { closed } = yield* orProblem((yield* RecentDays).memory)
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
<div class="actions"><a class="button" href="/v1/archive/daily/${closed.slice(0, 4)}/${closed.slice(5, 7)}/${closed.slice(8)}.parquet">Parquet</a><a class="button" href="/v1/log/batches/${closed}/leaves">JSON lines</a><a class="button" href="/log/${closed}">The day in the log</a></div>`
}</section>
<section aria-labelledby="gets"><h2 id="gets">What you can count on</h2><ul>
<li><strong>As known at.</strong> History can be read as it was known at any time, so that a backtest sees no later correction.</li>
<li><strong>Proof.</strong> ${proofSentence(here)}</li>
<li><strong>Corrections.</strong> <a href="/corrections">What was wrong</a> is listed with both values and the reason.</li>
<li><strong>Service levels.</strong> <a href="/status">What is promised and what was kept</a>, measured by the service itself.</li></ul></section>
<section aria-labelledby="ask"><h2 id="ask">Talk to somebody</h2>
<p>${
      operator.salesUrl === undefined
        ? (mail ?? noAddress)
        : html`<a href="${operator.salesUrl}">Ask for a contract</a>${mail !== undefined && html` · ${mail}`}`
    }</p>
<p>The tiers and their prices are on <a href="/products">the products’ page</a>; invoices, data processing and cancellation are in <a href="/terms">the terms</a>.</p></section>`
  })
})
