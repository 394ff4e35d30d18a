/** One closed day: its batch, its place in the log, what was absent, late or revised. */
import { Effect } from "effect"
import { type ChangedLeaf, dayOfLog, mostChanged } from "../../../core/log/record/dayOfLog.ts"
import { incidents } from "../../../core/log/record/incidents.ts"
import { utf8 } from "../../../core/proof/bytes.ts"
import type { AbsentSeries } from "../../../core/proof/leaf.ts"
import { leafHashHex } from "../../../core/proof/leaf.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { batchCounts } from "../html/batches.ts"
import { absent, formatDay, formatTime } from "../html/format.ts"
import { leafValue } from "../html/leafValue.ts"
import { type Html, html } from "../html/markup.ts"
import { seriesLink, seriesWords } from "../html/seriesLink.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { anchorSign, anchorText, sign } from "../html/state.ts"
import { term } from "../html/terms.ts"
import { incidentTable } from "./logLists.ts"

export interface DayQuery {
  readonly date: string
  readonly page?: string | undefined
}

const rowsOfPage = 100

const changes = (changed: ReadonlyArray<ChangedLeaf>): Html =>
  html`<table class="cards changes" role="table"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Series</th><th scope="col" role="columnheader">Day</th><th scope="col" role="columnheader" class="n">Before</th><th scope="col" role="columnheader" class="n">After</th><th scope="col" role="columnheader">Recorded</th></tr></thead>
<tbody role="rowgroup">${changed.map(
    ({ before, leaf }) =>
      html`<tr role="row"><th scope="row" role="rowheader">${seriesLink(leaf)}</th><td role="cell" class="label" data-label="value of">${formatDay(leaf.day)}</td><td role="cell" class="n label" data-label="before">${before === undefined ? absent : leafValue(before)}</td><td role="cell" class="n label" data-label="after">${leaf.n_observations === 0 ? "withdrawn" : leafValue(leaf)}</td><td role="cell" class="label" data-label="recorded">${formatTime(leaf.recorded_at)}</td></tr>`
  )}</tbody></table>`

const absences = (
  list: ReadonlyArray<AbsentSeries>,
  day: string,
  requestedPage: string | undefined
): Html => {
  const last = Math.max(1, Math.ceil(list.length / rowsOfPage))
  const page = Math.min(last, Math.max(1, Number.parseInt(requestedPage ?? "1", 10) || 1))
  const rows = list.slice((page - 1) * rowsOfPage, page * rowsOfPage)
  const query = (one: AbsentSeries): string =>
    `/v1/attest?${new URLSearchParams({ symbol: one.symbol, metric: one.metric, date: day.replaceAll("-", ""), source: one.source, format: "absence" })}`
  return list.length === 0
    ? html`<p>Every expected series had a reading.</p>`
    : html`<p>Expected, and without a reading by the cut-off. The batch commits to this list, so an absence can be proved too.</p>
<table class="days"><thead><tr><th scope="col">Series</th><th scope="col">Proof</th></tr></thead><tbody>${rows.map(
        (one) =>
          html`<tr><th scope="row">${seriesLink(one)}${one.ended === true && html`<span class="sub">expected no longer</span>`}</th><td><a href="${query(one)}" download="${one.symbol}-${one.metric}-${day}.bundle.json">bundle<span class="visually-hidden"> of the absence of ${seriesWords(one)}</span></a></td></tr>`
      )}</tbody></table>
${
  last > 1 &&
  html`<nav class="pages" aria-label="Pages of the absences">${page > 1 && html`<a rel="prev" href="/log/${day}?page=${page - 1}#absent">Previous</a>`}<span>Page ${page} of ${last}</span>${page < last && html`<a rel="next" href="/log/${day}?page=${page + 1}#absent">Next</a>`}</nav>`
}`
}

export const notThere = (date: string, today: string) =>
  respondPage({
    title: "No batch of this day",
    description: "The log has no batch of this day.",
    path: "",
    status: 404,
    script: "page",
    body: html`<p class="trail"><a href="/log">The log</a></p><h1>No batch of this day</h1>
<p class="lede">${
      /^\d{4}-\d{2}-\d{2}$/.test(date)
        ? date >= today
          ? html`${formatDay(date)} is not closed yet. A day closes at 08:00 UTC on the next day.`
          : html`The log has no batch of ${formatDay(date)}: it was not closed, or it was before the first day.`
        : html`<code>${date.slice(0, 40)}</code> is not a day. Write it as YYYY-MM-DD.`
    }</p><p><a href="/log">The calendar of closed days</a></p>`
  })

export const logDay = Effect.fn("explorer.logDay")(function* ({ date, page }: DayQuery) {
  const now = yield* pageTime
  const record = yield* orProblem(dayOfLog(date))
  if (record === undefined) return yield* notThere(date, new Date(now).toISOString().slice(0, 10))
  const { absences: list, anchor, batch, changed, earlier, later, log } = record
  const dayIncidents = (yield* orProblem(incidents({ limit: 500 }))).incidents.filter(
    ({ from, to }) => from.slice(0, 10) <= date && (to === undefined || date <= to.slice(0, 10))
  )
  const late = changed.filter(({ leaf }) => leaf.kind === "late")
  const revised = changed.filter(({ leaf }) => leaf.kind === "revision")
  const state = {
    state: anchor.status,
    ...(anchor.reason === undefined ? {} : { reason: anchor.reason }),
    ...("header" in anchor ? { block_height: anchor.header.height } : {})
  }
  const anchored = anchorSign(state)
  return yield* respondPage({
    title: `The day ${formatDay(date)} in the log`,
    description: `${batch.tree_size} leaves of ${formatDay(date)} under the root ${batch.root}, ${batch.n_absent} absent series, ${anchorText(state)}.`,
    path: `/log/${date}`,
    script: "log",
    body: html`<p class="trail"><a href="/log?month=${date.slice(0, 7)}">The log</a> / ${formatDay(date)}</p>
<h1>${formatDay(date)}</h1>
<p class="lede">${batch.late ? html`${sign("late")}Closed late` : html`${sign("closed")}Closed`} at ${formatTime(batch.closed_at.toISOString())}; ${anchored !== undefined && sign(anchored)}${anchorText(state)}.</p>
<nav class="pages" aria-label="Days">${earlier !== undefined && html`<a rel="prev" href="/log/${earlier}">${formatDay(earlier)}</a>`}${later !== undefined && html`<a rel="next" href="/log/${later}">${formatDay(later)}</a>`}</nav>
<p><a href="/changes/${date}">What changed on this day, and why</a></p>
<dl class="strip">${batchCounts(batch)}</dl>
<div class="columns"><section aria-labelledby="batch"><h2 id="batch">${term("batch", "Batch")}</h2><dl class="facts">
<dt>Root</dt><dd><code id="batch-root">${batch.root}</code></dd><dt>Cut-off</dt><dd>${formatTime(batch.cut_off.toISOString())}</dd><dt>Closed</dt><dd id="batch-closed">${formatTime(batch.closed_at.toISOString())}</dd></dl></section>
<section aria-labelledby="entry"><h2 id="entry">Entry of the log</h2><dl class="facts">
<dt>Place</dt><dd>entry ${batch.log_index} of ${log.size}</dd><dt>Hash</dt><dd><code id="entry-hash">${leafHashHex(utf8(batch.entry))}</code></dd></dl>
<details><summary>The entry’s text</summary><pre><code id="entry-text">${batch.entry}</code></pre></details></section></div>
<section aria-labelledby="head"><h2 id="head">${term("head", "Head")} that proves it</h2><p class="sentence">${anchorText(state)}${"ots" in anchor && anchor.ots !== undefined && html`: <a href="/v1/log/checkpoints/${log.size}.ots" download>the timestamp</a> of <a href="/v1/log/checkpoints/${log.size}">this head</a>`}.</p><pre><code>${log.checkpoint}</code></pre>
${"cosignatures" in log && log.cosignatures !== undefined && html`<p>Cosigned by ${log.cosignatures.map((line) => line.split(" ")[1] ?? "").join(", ")}.</p>`}</section>
${dayIncidents.length > 0 && html`<section aria-labelledby="incidents"><h2 id="incidents">Incidents of this day</h2>${incidentTable(dayIncidents)}</section>`}
<section aria-labelledby="late"><h2 id="late">Late ${term("leaf", "leaves")}</h2>${late.length === 0 ? html`<p>None: every value in this batch was there by the cut-off of its day.</p>` : changes(late)}</section>
<section aria-labelledby="revised"><h2 id="revised">Revised leaves</h2>${revised.length === 0 ? html`<p>None: no earlier value was changed with this batch.</p>` : changes(revised)}
${changed.length === mostChanged && html`<p>The first ${mostChanged} are shown; the file of leaves has all.</p>`}</section>
<section aria-labelledby="absent"><h2 id="absent">Absent series</h2>${absences(list, date, page)}</section>`
  })
})
