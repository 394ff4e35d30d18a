/** What changed with a closed day, and why. */
import { Effect } from "effect"
import { newestClosedDay } from "../../../core/log/closedDays.ts"
import { changesOfDay, type Move, mostListed } from "../../../core/log/record/changesOfDay.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { changeText } from "../html/change.ts"
import { formatDay } from "../html/format.ts"
import { type Html, html } from "../html/markup.ts"
import { roughText } from "../html/roughly.ts"
import { type NamedSeries, seriesLink } from "../html/seriesLink.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { term } from "../html/terms.ts"
import { dayFeedPath } from "./dayFeed.ts"
import { eventFeedPath } from "./eventFeed.ts"
import { notThere } from "./logDay.ts"
import { incidentTable, revisionTable } from "./logLists.ts"
import { morningForm } from "./mornings.ts"

const moveTable = (moves: ReadonlyArray<Move>): Html =>
  html`<table class="cards changes" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Series</th><th scope="col" role="columnheader" class="n">Day before</th><th scope="col" role="columnheader" class="n">This day</th><th scope="col" role="columnheader" class="n">Change</th></tr></thead>
<tbody role="rowgroup">${moves.map(
    ({ change, unit, ...series }) =>
      html`<tr role="row"><th scope="row" role="rowheader">${seriesLink(series)}</th><td role="cell" class="n label" data-label="day before"><data value="${change.from.value_text ?? change.from.value}">${roughText(change.from.value, unit)}</data></td><td role="cell" class="n label" data-label="this day"><data value="${change.to.value_text ?? change.to.value}">${roughText(change.to.value, unit)}</data></td><td role="cell" class="n label" data-label="change">${changeText({ change, unit })}</td></tr>`
  )}</tbody></table>`

const seriesList = (rows: ReadonlyArray<NamedSeries>): Html =>
  html`<ul class="plain">${rows.map((row) => html`<li>${seriesLink(row)}</li>`)}</ul>${rows.length === mostListed && html`<p>The first ${mostListed} are shown.</p>`}`

const page = Effect.fnUntraced(function* (date: string, path: string) {
  const today = new Date(yield* pageTime).toISOString().slice(0, 10)
  const record = yield* orProblem(changesOfDay(date))
  if (record === undefined) return yield* notThere(date, today)
  const { begun, compared, dayBefore, earlier, ended, incidents, later, moves, revisions } = record
  return yield* respondPage({
    title: `What changed on ${formatDay(date)}`,
    description: `The largest changes of ${formatDay(date)}, what was revised or withheld, and series that began or ended, each with its reason.`,
    path,
    picture: `/changes/${date}/picture.png`,
    head: html`<link rel="alternate" type="application/atom+xml" title="Plumbline: yesterday in five lines" href="${dayFeedPath}"><link rel="alternate" type="application/atom+xml" title="Plumbline: what happened" href="${eventFeedPath}">`,
    script: "log",
    body: html`<p class="trail"><a href="/log">The log</a> / <a href="/log/${date}">${formatDay(date)}</a></p>
<h1>What changed on ${formatDay(date)}</h1>
<p class="lede">Against ${formatDay(dayBefore)}. Each value is the last accepted reading of its day, and the day is ${term("closed day", "closed")}: its figures are proved.</p>
<nav class="pages" aria-label="Days">${earlier !== undefined && html`<a rel="prev" href="/changes/${earlier}">${formatDay(earlier)}</a>`}${later !== undefined && html`<a rel="next" href="/changes/${later}">${formatDay(later)}</a>`}</nav>
<section aria-labelledby="moves"><h2 id="moves">Largest changes</h2>
<p>Reason: new readings of the same source. Headline figures of ${compared} series were compared, each with itself; bases too small for a percentage are left out.</p>
${moves.length === 0 ? html`<p>None.</p>` : moveTable(moves)}</section>
<section aria-labelledby="revised"><h2 id="revised">Revised values</h2>${revisions.length === 0 ? html`<p>None: no published value was changed that day.</p>` : revisionTable(revisions)}<p><a href="/log/revisions">All revisions</a></p></section>
<section aria-labelledby="incidents"><h2 id="incidents">Incidents opened or closed</h2>${incidents.length === 0 ? html`<p>None.</p>` : incidentTable(incidents)}<p><a href="/log/incidents">All incidents</a></p></section>
<div class="columns"><section aria-labelledby="begun"><h2 id="begun">New series</h2>${begun.length === 0 ? html`<p>None${earlier === undefined && ": it is the first closed day"}.</p>` : html`<p>Reason: their first value is of this day.</p>${seriesList(begun)}`}</section>
<section aria-labelledby="ended"><h2 id="ended">Ended series</h2>${ended.length === 0 ? html`<p>None.</p>` : html`<p>Reason: they have had no value for so long that none is expected any more.</p>${seriesList(ended)}`}</section></div>
<div class="columns"><section aria-labelledby="morning"><h2 id="morning">Every morning</h2>
<p>Yesterday in five lines, as an Atom feed: <a href="${dayFeedPath}">of all</a>, of one category (<code>?category=storage</code>), or of what you name (<code>?symbol=FIL,HNT/devices_total</code>). <a href="/watchlist">Your watchlist</a> makes the address for what you marked.</p>${yield* morningForm(true)}</section>
<section aria-labelledby="further"><h2 id="further">More of what changed</h2><p><a href="/anomalies">Unusual values of the newest closed days</a>: a large change is not among them where it is within what its own history suggests.</p>
<p><a href="/docs/history">All that changed between two moments, and why: /v1/diff</a> · <a href="/v1/events">Events as JSON</a> · <a href="${eventFeedPath}">as an Atom feed</a>, of one network with <code>?symbol=FIL</code></p></section></div>`
  })
})

/** Of the newest closed day. */
export const changes = Effect.flatMap(orProblem(newestClosedDay), (date) => page(date, "/changes"))

export const changesOn = Effect.fn("explorer.changesOn")(({ date }: { readonly date: string }) =>
  page(date, `/changes/${date}`)
)
