/** Incidents and revisions: what was held back or changed, why, and where that is in the log. */
import { Effect } from "effect"
import { incidents } from "../../../core/log/record/incidents.ts"
import { revisions } from "../../../core/readings/read/revisions.ts"
import type { Revision } from "../../../core/wire/data/revisions.ts"
import type { Incident } from "../../../core/wire/log/incidents.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { coded } from "../html/coded.ts"
import { formatDay, formatTime, valueText } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { seriesLink } from "../html/seriesLink.ts"
import { respondPage } from "../html/shell.ts"

export interface ListQuery {
  readonly cursor?: string | undefined
}

const limit = 100

/** Where the chart of a metric marks it. */
const figure = "#figure"

const place = (logged: Incident["logged"]["opened"], name: string): Html | false =>
  logged !== undefined &&
  html`<span class="line"><a href="/v1/log/documents/${logged.sha256}">${name} in entry ${logged.log_index}</a></span>`

/** Who opened it. */
const kinds: Readonly<Record<Incident["kind"], string>> = {
  manual: "by the operator",
  automatic: "by a check"
}

const rangeOf = ({ from, to }: Incident): string =>
  to === undefined
    ? `since ${formatDay(from)}`
    : from.slice(0, 10) === to.slice(0, 10)
      ? formatDay(from)
      : `${formatDay(from)} to ${formatDay(to)}`

/** Series of a fault that are named: a run that breaks has some thousand. */
const mostSeries = 20

/** The series of an incident: one, or those that one fault met, folded. */
const seriesOfIncident = (one: Incident): Html => {
  const { series = [] } = one
  if (series.length < 2) return seriesLink(one, figure)
  const left = series.length - mostSeries
  return html`${seriesLink(one, figure)}<details><summary>${series.length} series of one fault</summary><ul class="plain">${series
    .slice(0, mostSeries)
    .map(
      (each) => html`<li>${seriesLink(each, figure)}</li>`
    )}${left > 0 && html`<li>and ${left} more</li>`}</ul></details>`
}

const stateOfIncident = ({ closed_at, opened_at, over_at }: Incident): Html =>
  closed_at !== undefined
    ? html`closed<span class="sub">${formatTime(closed_at)}</span>`
    : over_at !== undefined
      ? html`over by itself<span class="sub">${formatTime(over_at)}; what was withheld stays so</span>`
      : html`<strong>open</strong><span class="sub">since ${formatTime(opened_at)}</span>`

export const incidentTable = (rows: ReadonlyArray<Incident>): Html =>
  html`<table class="cards incidents" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Incident</th><th scope="col" role="columnheader">Series</th><th scope="col" role="columnheader">Readings</th><th scope="col" role="columnheader">Why</th><th scope="col" role="columnheader">State</th><th scope="col" role="columnheader">In the log</th></tr></thead>
<tbody role="rowgroup">${rows.map(
    (
      one
    ) => html`<tr role="row"><th scope="row" role="rowheader" class="nowrap">No. ${one.id}<span class="sub">${kinds[one.kind]}</span></th><td role="cell">${seriesOfIncident(one)}</td><td role="cell" class="label" data-label="readings of">${rangeOf(one)}</td><td role="cell">${coded(one.reason)}${one.note !== undefined && html`<span class="sub">${one.note}</span>`}</td>
<td role="cell">${stateOfIncident(one)}</td><td role="cell">${place(one.logged.opened, "opened")}${place(one.logged.closed, "closed")}${one.logged.opened === undefined && "not yet"}</td></tr>`
  )}</tbody></table>`

export const revisionTable = (rows: ReadonlyArray<Revision>): Html =>
  html`<table class="cards changes" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Series</th><th scope="col" role="columnheader">Value of</th><th scope="col" role="columnheader" class="n">Before</th><th scope="col" role="columnheader" class="n">After</th><th scope="col" role="columnheader">Why</th><th scope="col" role="columnheader">Recorded</th></tr></thead>
<tbody role="rowgroup">${rows.map(
    (one) =>
      html`<tr role="row"><th scope="row" role="rowheader">${seriesLink(one, figure)}</th><td role="cell" class="label" data-label="value of">${formatTime(one.as_of)}</td><td role="cell" class="n label" data-label="before"><data value="${one.before_text ?? one.before_value}">${valueText(one.before_value, one.unit)}</data></td><td role="cell" class="n label" data-label="after"><data value="${one.after_text ?? one.after_value}">${valueText(one.after_value, one.unit)}</data></td><td role="cell">${coded(one.why)}</td><td role="cell" class="label" data-label="recorded">${formatTime(one.recorded_at)}<span class="sub"><a href="/v1/derivation/${one.run}">the run</a></span></td></tr>`
  )}</tbody></table>`

const older = (path: string, next: string | undefined): Html | false =>
  next !== undefined &&
  html`<nav class="pages" aria-label="Pages"><a rel="next" href="${path}?cursor=${next}">Older</a></nav>`

const trail = html`<p class="trail"><a href="/log">The log</a></p>`

export const incidentList = Effect.fn("explorer.incidentList")(function* ({ cursor }: ListQuery) {
  const { incidents: rows, next_cursor } = yield* orProblem(incidents({ limit, cursor }))
  return yield* respondPage({
    title: "Incidents",
    description: "Readings that were withheld, open and closed, with the reason and their place in the log.",
    path: "/log/incidents",
    script: "log",
    body: html`${trail}<h1>Incidents</h1>
<p class="lede">Readings that are kept and not served, because a check of the service or its operator doubts them. Opening and closing one are entries of the log.</p>
${rows.length === 0 ? html`<p>There is no incident${cursor === undefined ? "" : " before these"}.</p>` : incidentTable(rows)}
${older("/log/incidents", next_cursor)}<p><a href="/v1/incidents">The same as JSON</a></p>`
  })
})

export const revisionList = Effect.fn("explorer.revisionList")(function* ({ cursor }: ListQuery) {
  const { next_cursor, revisions: rows } = yield* orProblem(revisions({ limit, cursor }))
  return yield* respondPage({
    title: "Revisions",
    description: "Every published value that its source changed later, with the value before and after.",
    path: "/log/revisions",
    script: "log",
    body: html`${trail}<h1>Revisions</h1>
<p class="lede">Values that a source changed after they were published here. The value before stays in the log; the chart of the metric marks the day.</p>
${rows.length === 0 ? html`<p>There is no revision${cursor === undefined ? "" : " before these"}.</p>` : revisionTable(rows)}
${older("/log/revisions", next_cursor)}<p><a href="/v1/revisions">The same as JSON</a> · <a href="/docs/history">All that changed between two moments, and why: /v1/diff</a></p>`
  })
})
