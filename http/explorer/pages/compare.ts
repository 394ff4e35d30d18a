/** Up to six series of any networks beside each other: as indexes, or as they were measured. */
import { Effect } from "effect"
import { isoTime } from "../../../core/plugin/Value.ts"
import { bulk } from "../../../core/readings/read/bulk.ts"
import { dateOf } from "../../../core/readings/read/days.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { bothCompared, type ComparedLine, indexed, signOf } from "../charts/compareChart.ts"
import { axisLinks } from "../html/axisLinks.ts"
import { changeCell, changeHead, changeLabel, commonSpan } from "../html/change.ts"
import { chartKeys } from "../html/chartKeys.ts"
import { absent, formatDay, formatIndex, formatTime, metricTitle, valueText } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { scriptJson } from "../html/scriptJson.ts"
import { respondPage } from "../html/shell.ts"
import { knownNote } from "../html/timeMachine.ts"
import { marksText, metricPath, networkPath, valueOf } from "../html/values.ts"
import { wideTable } from "../html/wideTable.ts"
import { newestText } from "./asKnown.ts"
import {
  type Compared,
  type CompareParams,
  type CompareQuery,
  caption,
  compared,
  type Match,
  nameOf,
  noteOf,
  sharedOf,
  sourceText
} from "./compared.ts"
import { empty, fields } from "./compareForm.ts"

/** The latest value, or the newest one that was known then. */
const valueThen = ({ asKnown, read: { row } }: Match): Html | string =>
  asKnown === undefined ? valueOf(row) : (newestText(asKnown, row.unit) ?? absent)

const summary = (matches: ReadonlyArray<Match>, { at, days }: CompareParams): Html => {
  const span = commonSpan(matches.map(({ series }) => series))
  return html`<table class="cards compared" role="table" aria-label="Compared series">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Series</th><th scope="col" role="columnheader" class="n">${at === undefined ? "Latest value" : "Newest value then"}</th><th scope="col" role="columnheader" class="n">${changeHead(span)}</th><th scope="col" role="columnheader">Source</th><th scope="col" role="columnheader">JSON</th></tr></thead>
<tbody role="rowgroup">${matches.map((one) => {
    const { letter, of, read, series } = one
    const query = new URLSearchParams({
      network: of.symbol,
      metric: read.metric,
      source: read.row.source,
      days: String(days),
      ...(at === undefined ? {} : { as_known_at: isoTime(at) })
    })
    return html`<tr role="row"><th scope="row" role="rowheader">${raw(signOf(letter))} <strong>${letter.toUpperCase()}</strong> <a href="${metricPath(of.symbol, read.metric)}">${metricTitle(read.metric)}</a><span class="sub"><a href="${networkPath(of.symbol)}">${nameOfSymbol(of.symbol)}</a></span></th>
<td role="cell" class="n"><span class="value">${valueThen(one)}</span></td><td role="cell" class="n label" data-label="${changeLabel(series)}">${changeCell(series, span)}</td>
<td role="cell" class="extra"><code>${read.row.source}</code>${marksText(read.row).map((mark) => html` <small>${mark}</small>`)}</td><td role="cell" class="extra"><a href="/v1/history?${String(query)}">history<span class="visually-hidden"> of ${nameOf(one)}</span></a></td></tr>`
  })}</tbody></table>`
}

const dayTable = (lines: ReadonlyArray<ComparedLine>, isIndex: boolean): Html => {
  const values = lines.map(({ points }) => new Map(points.map((point) => [point.date, point])))
  const dates = [...new Set(lines.flatMap(({ points }) => points.map(({ date }) => date)))].sort().reverse()
  return wideTable(
    "Table of the days",
    html`<table class="compared-days" aria-labelledby="each"><thead><tr><th scope="col">Day</th>${lines.map(({ label, letter, name }) => html`<th scope="col" class="n" title="${name}">${letter.toUpperCase()} <span class="sub">${label}</span></th>`)}</tr></thead>
<tbody>${dates.map(
      (date) =>
        html`<tr><th scope="row" class="nowrap">${formatDay(date)}</th>${lines.map(({ unit }, n) => {
          const point = values[n]?.get(date)
          return html`<td class="n">${point === undefined ? html`<span class="quiet">${absent}</span>` : html`${isIndex ? formatIndex(point.value) : valueText(point.value, unit)}${point.open === true && html`<span class="quiet" title="The day is not closed yet"> open</span>`}`}</td>`
        })}</tr>`
    )}</tbody></table>`
  )
}

/** Of each series its name and source, and the address that holds the choice. */
const citation = ({ matches, now, params }: Compared, address: string, charts: number): string =>
  [
    `${matches.map((one) => `${one.letter.toUpperCase()}: ${sourceText(one)}`).join(" ")} ${caption(matches, params, charts)}`,
    ...(params.at === undefined ? [] : [`As it was known at the end of ${formatDay(dateOf(params.at))}.`]),
    `Plumbline, ${address}, read ${formatTime(new Date(now).toISOString())}.`
  ].join(" ")

const takeIt = (comparison: Compared, baseUrl: string, handsOn: boolean): Html => {
  const { all, charts, lines, params } = comparison
  const address = `${baseUrl}${sharedOf(params, all)}`
  const title = lines.map(({ name }) => name).join("; ")
  const frame = `<iframe src="${baseUrl}${sharedOf(params, all, "/embed/compare")}" title="${title}" width="720" height="${140 + 320 * charts.length}" loading="lazy"></iframe>`
  const picture = `<a href="${address}"><img src="${baseUrl}${sharedOf(params, all, "/compare/chart.svg")}" alt="${title}, with their sources" width="1280" loading="lazy"></a>`
  return html`<section aria-labelledby="take"><h2 id="take">Take it with you</h2>
<div class="actions"><a class="button" href="${sharedOf(params, all, "/compare/data.csv")}">CSV</a>${handsOn && html`<a class="button" href="${sharedOf(params, all, "/compare/chart.svg")}" download="plumbline-compare.svg">SVG</a><a class="button" href="${sharedOf(params, all, "/compare/chart.png")}" download="plumbline-compare.png">PNG</a>`}</div>
<div class="columns"><div><h3><label for="cite">Cite it</label></h3><textarea id="cite" rows="7" readonly>${citation(comparison, address, charts.length)}</textarea></div>
<div>${
    handsOn
      ? html`<h3><label for="embed">Embed it</label></h3><textarea id="embed" rows="4" readonly>${frame}</textarea>
<p><label for="embed-picture">As a picture, with the sources written in it</label></p><textarea id="embed-picture" rows="4" readonly>${picture}</textarea>`
      : html`<h3>No frame or picture</h3><p>The source of one of the series does not let it be published again. Link to this page instead. <a href="/sources">What each source allows</a>.</p>`
  }</div></div></section>`
}

export const compare = Effect.fn("explorer.compare")(function* (query: CompareQuery) {
  const comparison = yield* compared(query)
  const { all, charts, choices, lines, matches, now, params } = comparison
  const { baseUrl } = yield* HttpSettings
  const plotted = params.by === "index" ? indexed(lines) : lines
  const names = matches.map(nameOf)
  const { may } = yield* bulk
  const handsOn = matches.every(({ read }) => may(read.row.source))
  const note = noteOf(matches, params)
  const flat = plotted.filter(({ points }, n) => points.length === 0 && (lines[n]?.points.length ?? 0) > 0)
  return yield* respondPage({
    title: names.length === 0 ? "Compare networks" : `Compare: ${names.join("; ")}`,
    description:
      names.length === 0
        ? "Up to six daily series of any networks beside each other, as indexes or as measured, with their sources."
        : `${names.join("; ")}: ${params.days} days beside each other, each value with its source and its proof.`,
    path: all.length === 0 ? "/compare" : sharedOf(params, all),
    ...(matches.length === 0 ? {} : { picture: sharedOf(params, all, "/compare/picture.png") }),
    script: "compare",
    body: html`<h1>Compare</h1>
<p class="lede">Up to six series of any networks beside each other. The address of this page holds the choice, so it can be shared and cited.</p>
${fields(params, all, now)}
${
  matches.length === 0
    ? yield* empty
    : html`<figure class="figure compare-figure" id="compare" data-by="${params.by}" data-days="${params.days}" data-now="${now}"${params.axis !== undefined && html` data-axis="${params.axis}"`}>
${chartKeys}<figcaption><span class="readout" role="status">${caption(matches, params, charts.length)}</span>${axisLinks(choices, params.axis, (axis) => sharedOf({ ...params, axis }, all))}</figcaption>
<div class="plots">${charts.map((chart) => html`<div class="plot">${raw(bothCompared(chart))}</div>`)}</div>
<script type="application/json" id="compare-data">${raw(scriptJson(matches.map((one, n) => ({ ...lines[n], symbol: one.of.symbol, metric: one.read.metric, source: one.read.row.source }))))}</script></figure>
${note !== undefined && knownNote(note, sharedOf({ ...params, at: undefined }, all))}
${flat.length > 0 && html`<p>${flat.map(({ name }) => name).join("; ")}: 0 on the first day, so there is no index. <a href="${sharedOf({ ...params, by: "value" }, all)}">Show the values</a>.</p>`}
${summary(matches, params)}
${takeIt(comparison, baseUrl, handsOn)}
<section aria-labelledby="longer"><h2 id="longer">Longer windows</h2><p>Anyone can read 30 days. A key reaches further; it stays in this tab and is sent only to this site. <a href="/products#tiers">How far each tier reaches</a>.</p>
<form id="more" class="filters needs-script"><label>API key<input name="key" type="password" autocomplete="off" spellcheck="false"></label>
<label>Days<select name="days"><option>90</option><option>180</option><option>365</option><option value="3650">all</option></select></label><button type="submit">Load</button><span class="readout" role="status"></span></form>
<noscript><p>This needs a script. Without one, each series is a request: <code>curl -H 'X-API-Key: …' '${baseUrl}/v1/history?network=…&amp;metric=…&amp;days=90'</code></p></noscript></section>
<section aria-labelledby="each"><h2 id="each">Each day</h2>${dayTable(plotted, params.by === "index")}</section>`
}`
  })
})
