/** The page of one metric of one network: its chart, its days, where it comes from, how to check, cite and take it. */
import { Effect, Option } from "effect"
import { Alerts } from "../../../core/alerts/Alerts.ts"
import { newestRunOf } from "../../../core/log/record/derivation.ts"
import { type PublishedValue, valueOfLeaf } from "../../../core/log/record/shortAddress.ts"
import { day } from "../../../core/plugin/time.ts"
import { parseRunLeaf } from "../../../core/proof/runLeaf.ts"
import { bulk } from "../../../core/readings/read/bulk.ts"
import { dateOf } from "../../../core/readings/read/days.ts"
import { listing } from "../../../core/readings/read/listing.ts"
import { ofAll } from "../../../core/readings/read/readable.ts"
import type { ValueRow } from "../../../core/wire/data/valueRow.ts"
import type { AttestResponse } from "../../../core/wire/log/attest.ts"
import type { DerivationRun } from "../../../core/wire/log/derivation.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { Operator, type OperatorDetails } from "../../Operator.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { bothSizes, type Mark } from "../charts/lineChart.ts"
import { withheldWords } from "../charts/picture.ts"
import { dateOfDay, dayNumber } from "../charts/scale.ts"
import type { AxisChoice } from "../charts/valueAxis.ts"
import { differingMark, seenOfDay, seenRow, seenSub } from "../html/agreement.ts"
import { alertForm } from "../html/alertForm.ts"
import { axisLinks } from "../html/axisLinks.ts"
import { changeSentence } from "../html/change.ts"
import { chartKeys } from "../html/chartKeys.ts"
import { commandBlock } from "../html/command.ts"
import { mailLink, noAddress } from "../html/contact.ts"
import { datasetOf } from "../html/dataset.ts"
import {
  absent,
  formatAge,
  formatDay,
  formatNumber,
  formatTime,
  metricTitle,
  metricWords,
  tierWords,
  valueText
} from "../html/format.ts"
import { type Lamp, lampList, litWords } from "../html/lamps.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { queryText } from "../html/queryText.ts"
import { rightsRow, rightsText } from "../html/rights.ts"
import { scriptJson } from "../html/scriptJson.ts"
import { respondPage } from "../html/shell.ts"
import { starButton } from "../html/star.ts"
import { term } from "../html/terms.ts"
import { knownField, knownNote, yesterdayOf } from "../html/timeMachine.ts"
import {
  agedOf,
  definedWords,
  exceedsSentence,
  marksText,
  metricPath,
  networkPath,
  outward,
  uncountedWords,
  valueOf
} from "../html/values.ts"
import { type AsKnown, noteOfDays } from "./asKnown.ts"
import { badgePath } from "./badge.ts"
import { lampsFor } from "./lamps.ts"
import { receiptPath } from "./receipt.ts"
import {
  attestAddress,
  type MetricQuery,
  markedIn,
  provedOf,
  type Series,
  seriesOf,
  windows
} from "./series.ts"

/** Of what a chart can show, the signs that this one does. */
const legend = ({ asKnown, chart: { marks = [], points } }: Series): Html => {
  const has = (kind: Mark["kind"]) => marks.some((mark) => mark.kind === kind)
  const closed = points.some(({ open }) => open !== true)
  const open = points.some((point) => point.open === true)
  return html`<ul class="legend" aria-label="Signs in the chart">
${closed && html`<li>${raw('<svg class="chart" viewBox="0 0 16 12" aria-hidden="true"><path class="line" d="M0 6h16"/><circle class="dot" cx="8" cy="6" r="2.500"/></svg>')}${term("closed day")}</li>`}
${open && html`<li>${raw('<svg class="chart" viewBox="0 0 16 12" aria-hidden="true"><path class="line open" d="M0 6h16"/><circle class="dot open" cx="8" cy="6" r="2.500"/></svg>')}open day, can still change</li>`}
${asKnown !== undefined && asKnown.changed.length > 0 && html`<li>${raw('<svg class="chart" viewBox="0 0 16 12" aria-hidden="true"><path class="line ghost" d="M0 6h16"/><circle class="dot ghost" cx="8" cy="6" r="2.500"/></svg>')}published now</li>`}
${has("revision") && html`<li>${raw('<svg class="chart" viewBox="0 0 16 12" aria-hidden="true"><path class="mark revision" d="M8 2l4 4l-4 4l-4 -4z"/></svg>')}revised</li>`}
${has("late") && html`<li>${raw('<svg class="chart" viewBox="0 0 16 12" aria-hidden="true"><path class="mark late" d="M8 2l4.500 7h-9z"/></svg>')}late</li>`}
${has("unusual") && html`<li>${raw('<svg class="chart" viewBox="0 0 16 12" aria-hidden="true"><path class="mark unusual" d="M3 6a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z"/></svg>')}unusual</li>`}
${has("incident") && html`<li>${raw('<svg class="chart" viewBox="0 0 16 12" aria-hidden="true"><g class="incident"><rect width="16" height="12"/><path d="M0 1h16"/></g></svg>')}incident</li>`}
<li>${raw('<svg class="chart" viewBox="0 0 16 12" aria-hidden="true"><path class="plumb" d="M8 0v8"/><path class="bob" d="M5 6h6l-3 6z"/></svg>')}${asKnown === undefined ? "now" : "known then"}</li>
</ul>`
}

const readoutOf = ({ asKnown, days, series }: Series): string => {
  const visible = asKnown === undefined ? series : asKnown.series
  return visible === undefined ? `No reading in the last ${days} days` : changeSentence(visible)
}

/** What is different now, and a form with a date. */
const timeMachine = ({ asKnown, days, now, of, read }: Series): Html => {
  const path = metricPath(of.symbol, read.metric)
  const min = dateOf(now - (days - 1) * day)
  return html`${
    asKnown !== undefined && knownNote(noteOfDays(asKnown, read.row.unit), `${path}?days=${days}`)
  }<form class="filters" action="${path}" method="get"><input type="hidden" name="days" value="${days}">${knownField({ value: asKnown?.date ?? yesterdayOf(now), min, now, isRequired: true })}<button type="submit">Show</button></form>`
}

/** The newest closed value of the window that a rule finds unusual. */
const unusualNote = ({ unusual: [newest] }: Series): Html | false =>
  newest !== undefined &&
  html`<p id="unusual" role="note"><strong>Unusual on ${formatDay(newest.date)}</strong>, by the rule <a href="/method#anomalies">${newest.rule}</a>, score ${formatNumber(newest.score)}. ${newest.why} Nothing is withheld: it is a reason to look.</p>`

/** Every day of the window, newest first; a day without a reading is a row that says so. */
const dayTable = ({ days, marks, now, of, read, series }: Series): Html => {
  const last = dayNumber(new Date(now).toISOString().slice(0, 10))
  const byDate = new Map(series?.points.map((point) => [point.date, point]))
  const excluded = new Set(series?.excluded_dates)
  const dates = Array.from({ length: days }, (_, n) => dateOfDay(last - n))
  return html`<table id="days" class="days"><caption>One value per day: the last accepted reading. Days are UTC and close at 08:00 on the next day.</caption>
<thead><tr><th scope="col">Day</th><th scope="col" class="n">Value</th><th scope="col" class="n readings">Readings</th><th scope="col">State</th><th scope="col">Proof</th></tr></thead>
<tbody>${dates.map((date) => {
    const point = byDate.get(date)
    const notes = marks
      .filter((mark) => mark.date <= date && date <= (mark.to ?? mark.date))
      .map(({ reason }) => reason)
    const state =
      point === undefined
        ? excluded.has(date)
          ? "excluded"
          : "no reading"
        : point.open === true
          ? "open"
          : "closed"
    return html`<tr data-date="${date}"><th scope="row" class="nowrap">${formatDay(date)}</th>
<td class="n">${point === undefined ? html`<span class="quiet">${absent}</span>` : valueOf({ ...point, unit: read.row.unit })}</td>
<td class="n readings">${point === undefined ? html`<span class="quiet">${absent}</span>` : point.n_observations}</td>
<td>${state}${notes.length > 0 && html`<span class="sub">${notes.join("; ")}</span>`}${seenSub(point)}</td>
<td>${point !== undefined && point.open !== true ? html`<a href="${attestAddress(of.symbol, read.metric, date, read.row.source)}">proof<span class="visually-hidden"> of ${formatDay(date)}</span></a>` : ""}</td></tr>`
  })}</tbody></table>`
}

/** A change never ends in the open day. What has a daily rhythm is compared with the same hour of a week before. */
const openDay = ({ now, read, series, weekBefore }: Series): Html | false => {
  const last = series?.points.at(-1)
  if (series === undefined || last?.open !== true) return false
  const { unit } = read.row
  const isToday = last.date === new Date(now).toISOString().slice(0, 10)
  const left = Date.parse(last.date) + day - now
  return html`<p class="quiet" id="open-day">${isToday ? "Today" : formatDay(last.date)} so far: ${valueText(last.value, unit)} at ${series.as_of.slice(11, 16)} UTC${left > 0 ? `, ${formatAge(left)} before the day ends` : ", not closed yet"}.${
    weekBefore !== undefined &&
    html` At the same hour a week before, ${formatTime(weekBefore.as_of)}: ${valueText(weekBefore.value, unit)}.`
  }</p>`
}

/** The parameters of a view: its window, its axis, and the day on which it was known. */
const viewQuery = (days: number, axis: AxisChoice | undefined, then: AsKnown | undefined): string =>
  queryText([
    ["days", String(days)],
    ...(axis === undefined ? [] : ([["axis", axis]] as const)),
    ...(then === undefined ? [] : ([["as_known_at", then.date]] as const))
  ])

const viewAddress = ({ asKnown, of, read }: Series, days: number, axis: AxisChoice | undefined): string =>
  `${metricPath(of.symbol, read.metric)}?${viewQuery(days, axis, asKnown)}`

const ranges = (series: Series): Html =>
  html`<nav class="ranges" aria-label="Days shown">${windows.map(
    (one) =>
      html`<a href="${viewAddress(series, one, series.chart.axis)}"${one === series.days && raw(' aria-current="true"')}>${one} days</a>`
  )}<a href="#longer">Longer</a></nav>${axisLinks(series.choices, series.chart.axis, (axis) => viewAddress(series, series.days, axis))}`

const anchorWords = ({ anchor }: AttestResponse): string =>
  anchor.state === "confirmed" || anchor.state === "final"
    ? `Bitcoin block ${anchor.block_height ?? absent}`
    : anchor.state === "pending"
      ? "waiting for a Bitcoin block"
      : `not anchored: ${anchor.reason ?? absent}`

/** The run that gave the value, where the log has it, and how many of its answers a notary stated. */
const ranRow = ({ observed }: AttestResponse): Html | false => {
  if (observed === undefined) return false
  const leaf = parseRunLeaf(observed.leaf)
  if (leaf.outcome === "skipped") return false
  const { exchanges } = leaf
  const stated = exchanges.filter(({ notes }) => notes.length > 0).length
  return html`<dt>Run</dt><dd><a href="/v1/derivation/${observed.run}"><code>${observed.run}</code></a>, leaf ${formatNumber(observed.index)} of its hour, log entry ${formatNumber(observed.log.index)}; ${
    stated === 0
      ? "no notary stated what the source answered"
      : `of ${formatNumber(exchanges.length)} answers that it read, a notary carried and stated ${formatNumber(stated)}`
  }</dd>`
}

/** One line that opens. A link to `#proof` opens it too: a browser unfolds what its target is in. */
const proof = ({ of, read }: Series, proved: AttestResponse | undefined): Html =>
  proved === undefined
    ? html`<p id="proof">No value of this metric is in the log yet. The day of the latest value closes at 08:00 UTC on the next day.</p>`
    : html`<details><summary>${valueOf(proved.value)} on ${formatDay(proved.date)}: sealed in the batch of ${formatDay(proved.batch.day)}, ${anchorWords(proved)}. Show the proof</summary>
<div id="proof" class="checked"><dl class="facts">
<dt>Newest proved value</dt><dd>${valueOf(proved.value)} on ${formatDay(proved.date)}</dd>
<dt>Leaf</dt><dd><code>${proved.leaf_hash}</code></dd>
<dt>Batch</dt><dd>${formatDay(proved.batch.day)}, leaf ${formatNumber(proved.batch.index)} of ${formatNumber(proved.batch.tree_size)}; root <code>${proved.batch.root}</code></dd>
<dt>Log</dt><dd>entry ${formatNumber(proved.log.index)} of ${formatNumber(proved.log.tree_size)}; root <code>${proved.log.root}</code></dd>
<dt>Time</dt><dd>${anchorWords(proved)}</dd>${ranRow(proved)}${seenRow(proved)}</dl></div>
<p class="quiet">What the words mean: ${term("leaf")}, ${term("batch")}, ${term("head")}, ${term("anchor")}.</p>
<p>Check it without trusting this site, with a key that you obtained independently:</p>${commandBlock(proved.how_to_check)}</details>
<div id="verify" class="actions" data-symbol="${of.symbol}" data-metric="${read.metric}" data-date="${proved.date}" data-source="${read.row.source}"></div>`

const derived = ({ read }: Series, run: DerivationRun | undefined): Html =>
  run === undefined
    ? html`<p class="quiet">No run of the collector is stored.</p>`
    : html`<dl class="facts"><dt>Collector</dt><dd><code>${read.plugin}</code>${read.title !== undefined && html`, ${read.title}`}</dd>
<dt>Its last run</dt><dd><a href="/v1/derivation/${run.id}"><code>${run.id}</code></a>, ${formatTime(run.finished)}</dd>
<dt>Code</dt><dd><a href="/v1/derivation/code/${run.code_hash}"><code>${run.code_hash}</code></a></dd></dl>
<p>The raw answers and the code of each run are kept, and a collector is a pure function of them: the run can be repeated.</p>`

const citation = (series: Series, baseUrl: string, proved: AttestResponse | undefined): string => {
  const { name, now, of, read } = series
  const cited = proved?.value ?? read.row
  const day = proved?.date ?? read.row.as_of.slice(0, 10)
  return (
    `${name} (${of.symbol}), ${metricWords(read.metric)}: ${valueText(cited.value, cited.unit)} on ${formatDay(day)}. ` +
    `Source: ${cited.source}${markedIn(read.row)}. Plumbline, ${baseUrl}${metricPath(of.symbol, read.metric)}, ` +
    `read ${formatTime(new Date(now).toISOString())}.` +
    (read.terms === undefined ? "" : ` ${rightsText(read.terms)}`) +
    (proved === undefined
      ? ""
      : ` Proof: ${baseUrl}${attestAddress(of.symbol, read.metric, day, cited.source)}, leaf ${proved.leaf_hash}.`)
  )
}

/** What stands behind the address of a frame or a picture that is as it was known; nothing of one that stays new. */
const dated = ({ asKnown, chart, days }: Series): string =>
  asKnown === undefined ? "" : `?${viewQuery(days, chart.axis, asKnown)}`

const embedCode = (series: Series, baseUrl: string, proved: AttestResponse | undefined): string => {
  const { chart, of, read } = series
  const path = `${encodeURIComponent(of.symbol)}/${encodeURIComponent(read.metric)}${dated(series)}`
  const note =
    proved === undefined
      ? ""
      : `<!-- proof of ${proved.date}: ${baseUrl}${attestAddress(of.symbol, read.metric, proved.date, proved.value.source)} -->`
  return `<iframe src="${baseUrl}/embed/${path}" title="${chart.title}" width="640" height="420" loading="lazy"></iframe>${note}`
}

/** For places that take no frame: a picture that leads to the page, with the proof written in it. */
const pictureCode = (series: Series, baseUrl: string): string => {
  const { chart, of, read } = series
  const path = `${baseUrl}${metricPath(of.symbol, read.metric)}`
  return `<a href="${path}${dated(series)}"><img src="${path}/chart.svg${dated(series)}" alt="${chart.title}, with its source and its proof" width="860" loading="lazy"></a>`
}

/** For the README of a network: the newest sealed value, which leads to its page. */
const badgeCode = ({ chart, of, read }: Series, baseUrl: string): string =>
  `[![${chart.title}](${baseUrl}${badgePath(of.symbol, read.metric)})](${baseUrl}${metricPath(of.symbol, read.metric)})`

/** Beside the number: what was checked of the newest value that is sealed, and its receipt. */
const howSure = (
  proved: AttestResponse | undefined,
  sealed: PublishedValue | undefined,
  lamps: ReadonlyArray<Lamp>
): Html =>
  html`<section aria-labelledby="sure"><h2 id="sure">How sure: ${litWords(lamps)}</h2>
<p class="quiet">${
    proved === undefined
      ? "Of the latest value, which is not sealed yet."
      : html`Of the newest sealed value, ${valueOf(proved.value)} on ${formatDay(proved.date)}${sealed !== undefined && html`: <a href="${receiptPath(sealed.code)}">its receipt</a>`}.`
  }</p>${lampList(lamps)}</section>`

/** A mail to the operator that is filled in, and what comes of it. */
const somethingWrong = (
  operator: OperatorDetails,
  { of, read }: Series,
  baseUrl: string,
  proved: AttestResponse | undefined,
  run: DerivationRun | undefined
): Html => {
  const { row } = read
  const mail = mailLink(operator, "Something wrong?", {
    subject: `${of.symbol} ${read.metric} looks wrong`,
    lines: [
      `Page: ${baseUrl}${metricPath(of.symbol, read.metric)}`,
      `Value: ${row.value_text ?? row.value} (${row.unit}), true at ${row.as_of}`,
      `Source: ${row.source}, ${row.verify_url}`,
      ...(run === undefined ? [] : [`Run: ${run.id}`]),
      ...(proved === undefined ? [] : [`Newest leaf: ${proved.leaf_hash} of ${proved.date}`]),
      "",
      "What I expected, and where I have it from:",
      ""
    ]
  })
  return mail === undefined
    ? html`<p id="wrong" class="quiet">Something wrong? ${noAddress}</p>`
    : html`<p id="wrong">${mail} <span class="quiet">It opens a mail that is filled in. If you are right, the reading is withheld or revised, and <a href="/corrections">the list of corrections</a> says so.</span></p>`
}

/** A metric that is measured, and whose source does not let its values be shown. */
const notShown = (name: string, { metric, source, symbol, verify_url }: ValueRow) =>
  respondPage({
    title: `${metricTitle(metric)} of ${name} is not shown`,
    description: `The terms of ${source} do not let its values be shown here.`,
    path: networkPath(symbol),
    status: 404,
    script: "page",
    body: html`<p class="trail"><a href="/networks">Networks</a> / <a href="${networkPath(symbol)}">${name}</a></p><h1>${metricTitle(metric)} is not shown</h1>
<p class="lede">It is measured, but the terms of <code>${source}</code> do not let its values be shown here. It stands at ${outward(verify_url)}; <a href="/sources">the page of sources</a> quotes the terms.</p>`
  })

const unknown = Effect.fnUntraced(function* ({ metric }: MetricQuery, { metrics, symbol }: Series["of"]) {
  const [hidden] =
    (yield* ofAll(listing)).bySymbol.get(symbol)?.filter(({ row }) => row.metric === metric) ?? []
  if (hidden !== undefined) return yield* notShown(nameOfSymbol(symbol), hidden.row)
  const words = metric.toLowerCase().split("_")
  const near = metrics
    .map((one) => ({
      one,
      hits: words.filter((word) => word !== "" && one.metric.toLowerCase().includes(word)).length
    }))
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits)
    .slice(0, 8)
  const name = nameOfSymbol(symbol)
  return yield* respondPage({
    title: "No such metric",
    description: `No metric of this name is measured of ${name}.`,
    path: networkPath(symbol),
    status: 404,
    script: "page",
    body: html`<p class="trail"><a href="/networks">Networks</a> / <a href="${networkPath(symbol)}">${name}</a></p><h1>No such metric</h1>
<p class="lede"><code>${metric.slice(0, 80)}</code> is not measured of ${name}.</p>
${near.length > 0 && html`<h2>Did you mean</h2><ul>${near.map(({ one }) => html`<li><a href="${metricPath(symbol, one.metric)}">${metricTitle(one.metric)}</a> <code>${one.metric}</code></li>`)}</ul>`}
<p><a href="${networkPath(symbol)}">All ${metrics.length} metrics of ${name}</a></p>`
  })
})

const runOf = (plugin: string) =>
  newestRunOf(plugin).pipe(
    orProblem,
    Effect.orElseSucceed(() => undefined)
  )

export const metric = Effect.fn("explorer.metric")(function* (params: MetricQuery) {
  const metricSeries = yield* seriesOf(params)
  if (metricSeries.read === undefined) return yield* unknown(params, metricSeries.of)
  const { asKnown, chart, days, name, now, of, read, series } = metricSeries
  const { baseUrl } = yield* HttpSettings
  const proved = yield* provedOf(metricSeries)
  const run = yield* runOf(read.plugin)
  const sealed = proved && Option.getOrUndefined(yield* orProblem(valueOfLeaf(proved.leaf_hash)))
  const lamps = yield* orProblem(lampsFor(sealed))
  const title = metricTitle(read.metric)
  const path = metricPath(of.symbol, read.metric)
  const { row } = read
  const uncounted = uncountedWords(row)
  const handsOn = (yield* bulk).may(row.source)
  const query = new URLSearchParams({
    network: of.symbol,
    metric: read.metric,
    source: row.source,
    days: String(days)
  })
  const drawing = viewQuery(days, chart.axis, asKnown)
  const recheckQuery = new URLSearchParams({ symbol: of.symbol, metric: read.metric, source: row.source })
  return yield* respondPage({
    title: `${title} of ${name} (${of.symbol})`,
    description: `${title} of ${name}: ${valueText(row.value, row.unit)} on ${formatDay(row.as_of)}, measured from ${row.source}, with its history and its proof.`,
    path,
    picture: `${path}/picture.png${asKnown === undefined ? "" : `?${queryText([["as_known_at", asKnown.date]])}`}`,
    head: datasetOf(
      {
        name: `${title} of ${name} (${of.symbol})`,
        description:
          `${title} of ${name}, one value per day from ${row.source}, with its proof. ${read.meaning ?? ""}`.trim(),
        path,
        files: [
          ...(handsOn ? [{ path: `${path}/data.csv`, type: "text/csv" }] : []),
          { path: `/v1/history?${query}`, type: "application/json" },
          ...(handsOn ? [{ path: `${path}/chart.png`, type: "image/png" }] : [])
        ],
        variables: [{ name: read.metric, unit: row.unit }],
        days: series === undefined ? undefined : [series.first_date, series.last_date],
        basedOn: [row.verify_url]
      },
      baseUrl
    ),
    script: "metric",
    body: html`<p class="trail">${of.network === undefined ? html`<a href="/world">World</a>` : html`<a href="/networks">Networks</a>`} / <a href="${networkPath(of.symbol)}">${name}</a> / ${tierWords[read.tier]}</p>
<div class="title"><h1>${title} <span class="quiet">of ${name}</span></h1><code>${read.metric}</code>${starButton({ symbol: of.symbol, metric: read.metric }, `${title} of ${name}`)}</div>
${read.meaning !== undefined && html`<p class="lede">${read.meaning}</p>`}
<div class="hero">
<figure class="figure" id="figure" data-symbol="${of.symbol}" data-metric="${read.metric}" data-source="${row.source}" data-unit="${row.unit}" data-now="${now}" data-days="${days}" data-title="${chart.title}"${chart.axis !== undefined && html` data-axis="${chart.axis}"`}>
${chartKeys}<figcaption><span class="readout" role="status">${readoutOf(metricSeries)}</span>${ranges(metricSeries)}</figcaption>
${asKnown === undefined && openDay(metricSeries)}<div class="plot">${raw(bothSizes(chart))}</div>${legend(metricSeries)}${timeMachine(metricSeries)}${asKnown === undefined && unusualNote(metricSeries)}
<script type="application/json" id="chart-data">${raw(scriptJson({ points: chart.points, marks: chart.marks ?? [], asKnown: chart.asKnown }))}</script></figure>
<div><p class="quiet">Latest value</p><p class="big">${valueOf(row)}</p>
<p>${agedOf(row.as_of, now)}${marksText(row).map((mark) => html` · <strong>${mark}</strong>`)}<br><span class="quiet">${formatTime(row.as_of)}</span></p>
${read.second !== undefined && html`<p id="disagreement"><strong>A second source disagrees.</strong> <code>${read.second.source}</code> says ${valueOf({ ...read.second, unit: row.unit })} (${metricWords(read.second.metric)}, ${agedOf(read.second.as_of, now)}); the two may differ by ${formatNumber(read.second.tolerance * 100)} %.</p>`}
${exceedsSentence(read.exceeds, row.unit)}${differingMark(proved)}${uncounted !== undefined && html`<p id="standing" role="note">${uncounted}</p>`}${row.by_definition === true && html`<p role="note">${definedWords({ ...row, source_method: read.method })}</p>`}${metricSeries.withheld.map(({ as_of, reason, value }) => html`<p role="note">A reading ${value !== null && html`of <strong>${valueOf({ value, unit: row.unit })}</strong> `}from ${formatTime(as_of)} is held: ${reason}.</p>`)}
</div><div class="sure">${row.simulated !== true && html`<div id="look-again"><a class="button" href="/v1/recheck?${String(recheckQuery)}">Ask the source again</a></div>`}
${howSure(proved, sealed, lamps)}</div>
<div class="origin"><dl class="facts"><dt>Source</dt><dd><code>${row.source}</code></dd>${read.method !== undefined && html`<dt>Method</dt><dd>${read.method}</dd>`}
<dt>Check</dt><dd>${outward(row.verify_url, "See it at the source")}</dd>
${read.readUrl !== row.verify_url && html`<dt>Read from</dt><dd>${outward(read.readUrl)}</dd>`}
${read.cadenceSeconds !== undefined && html`<dt>Read every</dt><dd>${cadence(read.cadenceSeconds)}</dd>`}
<dt>Kind</dt><dd>${tierWords[read.tier]}, ${read.role}</dd>
${rightsRow(read.terms, now)}
${read.agreement !== undefined && html`<dt>Seen</dt><dd>${seenOfDay(read.agreement)}</dd>`}
<dt>Proof</dt><dd><a href="#proof">${proved === undefined ? "not in the log yet" : `in the log up to ${formatDay(proved.date)}`}</a></dd>
${row.value_text !== undefined && html`<dt>Exactly</dt><dd><code>${row.value_text}</code></dd>`}</dl>
${somethingWrong(yield* Operator, metricSeries, baseUrl, proved, run)}</div></div>
<section aria-labelledby="take"><h2 id="take">Take it with you</h2>
<div class="actions">${handsOn && html`<a class="button" href="${path}/data.csv?days=${days}">CSV</a>`}<a class="button" href="/v1/history?${String(query)}">JSON</a>
${proved !== undefined && html`<a class="button" href="${attestAddress(of.symbol, read.metric, proved.date, row.source)}&amp;format=bundle4" download="${of.symbol}-${read.metric}-${proved.date}.bundle.json">Proof bundle</a>`}
<a class="button" href="/compare?a=${of.symbol}/${read.metric}">Compare</a>
${handsOn && html`<a class="button" href="${path}/chart.svg?${drawing}" download="${of.symbol}-${read.metric}.svg">SVG</a><a class="button" href="${path}/chart.png?${drawing}" download="${of.symbol}-${read.metric}.png">PNG</a>`}</div>
<div class="columns"><div><h3><label for="cite">Cite it</label></h3><textarea id="cite" rows="7" readonly>${citation(metricSeries, baseUrl, proved)}</textarea></div>
<div><h3><label for="badge">Badge for a README</label></h3><textarea id="badge" rows="2" readonly>${badgeCode(metricSeries, baseUrl)}</textarea>
${
  handsOn
    ? html`<h3><label for="embed">Embed it</label></h3><textarea id="embed" rows="4" readonly>${embedCode(metricSeries, baseUrl, proved)}</textarea>
<p><label for="embed-picture">As a picture, with the proof's address and date written in it (<code>chart.png</code> for PNG)</label></p><textarea id="embed-picture" rows="4" readonly>${pictureCode(metricSeries, baseUrl)}</textarea>`
    : html`<h3>No table, frame or picture</h3><p>${withheldWords} Link to this page instead. <a href="/sources">What each source allows</a>.</p>`
}</div></div></section>
<section aria-labelledby="each"><h2 id="each">Each day</h2>${dayTable(metricSeries)}</section>
<section aria-labelledby="tell"><h2 id="tell">Tell me when</h2>${alertForm({ symbol: of.symbol, metric: read.metric, source: row.source, unit: row.unit }, (yield* Alerts).offered)}</section>
<section aria-labelledby="longer"><h2 id="longer">Longer windows</h2>
<p>Anyone can read 30 days. A key reaches further; it stays in this tab and is sent only to this site. <a href="/docs#limits">How far each tier reaches</a>.</p>
<form id="more" class="filters needs-script"><label>API key<input name="key" type="password" autocomplete="off" spellcheck="false"></label>
<label>Days<select name="days"><option>90</option><option>180</option><option>365</option><option value="3650">all</option></select></label><button type="submit">Load</button><span class="readout" role="status"></span></form>
<noscript><p>This needs a script. Without one: <code>curl -H 'X-API-Key: …' '${baseUrl}/v1/history?network=${of.symbol}&amp;metric=${read.metric}&amp;days=90'</code></p></noscript></section>
<div class="columns">
<section aria-labelledby="proof-title"><h2 id="proof-title">Proof</h2>${proof(metricSeries, proved)}</section>
<section aria-labelledby="derived"><h2 id="derived">Derivation</h2>${derived(metricSeries, run)}
${read.others.length > 0 && html`<h3>Other sources of the same metric</h3><dl class="facts">${read.others.map((other) => html`<dt><code>${other.source}</code></dt><dd>${valueOf(other)}, ${agedOf(other.as_of, now)}, ${outward(other.verify_url)}</dd>`)}</dl>`}</section>
</div>`
  })
})

const cadence = (seconds: number): string =>
  seconds % 86_400 === 0
    ? `${seconds / 86_400} d`
    : seconds % 3600 === 0
      ? `${seconds / 3600} h`
      : seconds % 60 === 0
        ? `${seconds / 60} min`
        : `${seconds} s`
