/** The log as a whole: its head, a month of closed days, and how many witnesses cosign it. */
import { Effect } from "effect"
import { Log } from "../../../core/log/Log.ts"
import { attestations } from "../../../core/log/record/attestations.ts"
import { firstClosed } from "../../../core/log/record/dayOfLog.ts"
import { incidentCounts, incidents } from "../../../core/log/record/incidents.ts"
import { witnessed } from "../../../core/log/record/witnessed.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { verifier } from "../../../core/proof/command.ts"
import type { Attestation } from "../../../core/wire/log/attestations.ts"
import { assurances } from "../../assurances.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { headSentence } from "../html/assuranceWords.ts"
import { batchRow } from "../html/batches.ts"
import { commandBlock } from "../html/command.ts"
import { absent, formatDay, formatNumber, formatTime } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { anchorFigure } from "../html/state.ts"
import { term } from "../html/terms.ts"
import { calendar, legend, monthAfter, monthTitle } from "./calendar.ts"

const monthForm = /^\d{4}-(?:0[1-9]|1[0-2])$/

export const logPath = (month: string): string => `/log?month=${month}`

const batchesTable = (batches: ReadonlyArray<Attestation>): Html =>
  html`<table class="cards batches" role="table" aria-labelledby="batches"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Day</th><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader" class="n">Leaves</th>
<th scope="col" role="columnheader" class="n">Late</th><th scope="col" role="columnheader" class="n">Revised</th><th scope="col" role="columnheader" class="n">Absent</th><th scope="col" role="columnheader">Root</th><th scope="col" role="columnheader" class="n">Entry</th><th scope="col" role="columnheader">Anchor</th></tr></thead>
<tbody role="rowgroup">${batches.map(batchRow)}</tbody></table>`

const months = (month: string, first: string | undefined, last: string): Html => {
  const before = first !== undefined && month > first.slice(0, 7)
  const after = month < last
  return html`<nav class="pages" aria-label="Months">${
    before &&
    html`<a rel="prev" href="${logPath(monthAfter(month, -1))}">${monthTitle(monthAfter(month, -1))}</a>`
  }<strong>${monthTitle(month)}</strong>${after && html`<a rel="next" href="${logPath(monthAfter(month, 1))}">${monthTitle(monthAfter(month, 1))}</a>`}
<form action="/log" method="get"><label class="visually-hidden" for="month">Month</label><input id="month" name="month" type="month" value="${month}"${first !== undefined && html` min="${first.slice(0, 7)}"`} max="${last}"><button type="submit">Show</button></form></nav>`
}

export const log = Effect.fn("explorer.log")(function* (params: { readonly month?: string | undefined }) {
  const now = yield* pageTime
  const { baseUrl } = yield* HttpSettings
  const today = new Date(now).toISOString().slice(0, 10)
  const { served, waiting } = yield* Log
  const [head, since] = [yield* served, yield* waiting]
  const data = yield* orProblem(
    Effect.gen(function* () {
      const newest = yield* attestations({ limit: 1 })
      const last = newest.attestations[0]
      const month =
        params.month !== undefined && monthForm.test(params.month)
          ? params.month
          : (last?.day ?? today).slice(0, 7)
      const page = yield* attestations({ limit: 31, cursor: `${monthAfter(month, 1)}-01` })
      return {
        month,
        newest: last,
        origin: newest.origin,
        page: page.attestations.filter(({ day }) => day.startsWith(month)),
        first: yield* firstClosed,
        listedIncidents: (yield* incidents({ limit: 500 })).incidents,
        counts: yield* incidentCounts,
        witnessHeads: yield* witnessed,
        here: yield* assurances
      }
    })
  )
  const { counts, first, here, listedIncidents, month, newest, origin, page, witnessHeads } = data
  const title = `The log of ${monthTitle(month)}`
  return yield* respondPage({
    title: params.month === undefined ? "The log" : title,
    description:
      "Every closed day with its Merkle root, its place in the append-only log, its Bitcoin timestamp, and what was late, revised or withheld.",
    path: params.month === undefined ? "/log" : logPath(month),
    script: "log",
    body: html`<h1>The log</h1>
<p class="lede">Each day’s values are sealed in one ${term("batch")}. The batches, and everything else that is published, are entries of one log that only grows; ${headSentence(here)}</p>
<dl class="strip">
<div><dt>Entries</dt><dd>${formatNumber(head.size)}<small>${origin}</small></dd></div>
<div><dt>Last ${term("closed day")}</dt><dd>${newest === undefined ? absent : html`<a href="/log/${newest.day}">${formatDay(newest.day)}</a><small>closed ${formatTime(newest.closed_at)}</small>`}</dd></div>
<div><dt>${term("anchor", "Anchor")} of that day</dt><dd>${newest === undefined ? absent : anchorFigure(newest.anchor)}</dd></div>
<div><dt>Witnesses</dt><dd><a href="/trust#witnesses">${witnessHeads.length}</a><small>${witnessHeads.filter(({ size }) => size === head.size).length} signed the newest head</small></dd></div>
<div><dt>Incidents</dt><dd><a href="/log/incidents">${formatNumber(counts.open)} open</a><small>${formatNumber(counts.all)} in all</small></dd></div>
</dl>
<section aria-labelledby="closed"><h2 id="closed">Closed days</h2>${months(month, first, today.slice(0, 7))}
${calendar(month, { batches: new Map(page.map((one) => [one.day, one])), incidents: listedIncidents, today, first })}${legend}</section>
<section aria-labelledby="batches"><h2 id="batches">Batches of ${monthTitle(month)}</h2>${page.length === 0 ? html`<p>No day of this month was closed.</p>` : batchesTable(page)}
<p><a href="/log/incidents">All incidents</a> · <a href="/log/revisions">All revisions</a> · <a href="/v1/attestations">The same as JSON</a></p></section>
<section aria-labelledby="head"><h2 id="head">Head</h2>${
      head.note === null
        ? html`<p>${since === undefined ? "The log is still empty. The first batch closes at 08:00 UTC." : "The witnesses have not cosigned a head yet, and this service shows none without them."}</p>`
        : html`${since !== undefined && html`<p>Entries that came after this head wait for witnesses since ${formatTime(isoTime(since))}: this service shows no head that they have not cosigned.</p>`}<p>The newest head, as it was signed. Keep it: a later head that does not extend it is evidence. This browser keeps <a href="/verify#heads">the last one it saw</a>.</p><pre><code id="log-head">${head.note}</code></pre>
<dl class="facts"><dt>Root</dt><dd><code>${head.root}</code></dd></dl>
<p>Follow it in a shell:</p>${commandBlock(`${verifier} monitor --url ${baseUrl} --state monitor.json --key=LOG_KEY`)}`
    }</section>
<p><a href="/trust">Who vouches for it</a>: keys, witnesses, and what remains to be trusted.</p>`
  })
})
