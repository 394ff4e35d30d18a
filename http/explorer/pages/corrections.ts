/** What was put right, withheld or reported. */
import { Effect } from "effect"
import { corrections as listed } from "../../../core/publications/corrections.ts"
import type { Report } from "../../../core/wire/log/corrections.ts"
import { Operator } from "../../Operator.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { noAddress } from "../html/contact.ts"
import { formatDay } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { seriesWords } from "../html/seriesLink.ts"
import { respondPage } from "../html/shell.ts"
import { metricPath } from "../html/values.ts"
import { incidentTable, revisionTable } from "./logLists.ts"

const mostRows = 20

const outcomes: Readonly<Record<Report["outcome"], string>> = {
  open: "being looked into",
  corrected: "right: corrected",
  right_as_published: "the figure stands",
  upstream_wrong: "the source is wrong"
}

const reportTable = (rows: ReadonlyArray<Report>): Html =>
  html`<table class="cards" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Report</th><th scope="col" role="columnheader">Series</th><th scope="col" role="columnheader">What</th><th scope="col" role="columnheader">Outcome</th></tr></thead>
<tbody role="rowgroup">${rows.map(
    (one) =>
      html`<tr role="row"><th scope="row" role="rowheader" class="nowrap">No. ${one.id}<span class="sub">${formatDay(one.received_utc)}</span></th><td role="cell"><a href="${metricPath(one.symbol, one.metric)}">${seriesWords(one)}</a>${one.date !== undefined && html`<span class="sub">${formatDay(one.date)}</span>`}</td><td role="cell">${one.what}</td><td role="cell">${outcomes[one.outcome]}${one.note !== undefined && html`<span class="sub">${one.note}</span>`}</td></tr>`
  )}</tbody></table>`

export const corrections = Effect.gen(function* () {
  const { incidents, reports, revisions } = yield* orProblem(listed())
  const operator = yield* Operator
  return yield* respondPage({
    title: "Corrections",
    description: "What was reported as wrong, withheld or changed, with the reason and its place in the log.",
    path: "/corrections",
    script: "page",
    body: html`<h1>Corrections</h1>
<p class="lede">What was reported as wrong, withheld or changed. Nothing published is ever overwritten: the value before stays in the log beside the one after.</p>
<section aria-labelledby="reports"><h2 id="reports">Reports of readers</h2>
${reports.length === 0 ? html`<p>None has been entered. ${operator.email === undefined ? noAddress : "“Something wrong?” on the page of a metric opens a mail that is filled in."}</p>` : reportTable(reports)}</section>
<section aria-labelledby="withheld"><h2 id="withheld">Withheld readings</h2>
${incidents.length === 0 ? html`<p>None.</p>` : incidentTable(incidents.slice(0, mostRows))}<p><a href="/log/incidents">All incidents</a></p></section>
<section aria-labelledby="changed"><h2 id="changed">Changed values</h2>
${revisions.length === 0 ? html`<p>None.</p>` : revisionTable(revisions.slice(0, mostRows))}<p><a href="/log/revisions">All revisions</a></p></section>
<p><a href="/v1/corrections">The same as one signed answer</a></p>`
  })
})
