/** The rows of a watchlist, by the templates of the other pages. */
import { changeWords } from "../../../html/change.ts"
import { absent, formatTime, metricTitle } from "../../../html/format.ts"
import { type Html, html } from "../../../html/markup.ts"
import { rowStar } from "../../../html/star.ts"
import {
  ageOf,
  marksText,
  metricPath,
  networkPath,
  sparkOf,
  unconfirmedWords,
  valueOf
} from "../../../html/values.ts"
import { type Watched, watchedText } from "../../../html/watch.ts"
import { days, type WatchedFigure } from "./figures.ts"

const pathOf = ({ metric, symbol }: Watched): string =>
  metric === undefined ? networkPath(symbol) : metricPath(symbol, metric)

const titleOf = ({ entry, name }: WatchedFigure): string =>
  entry.metric === undefined ? name : `${metricTitle(entry.metric)} of ${name}`

/** The page of the entry, and below it the metric that is shown. */
const nameCell = (figure: WatchedFigure): Html => {
  const { entry, exists, metric } = figure
  const title = titleOf(figure)
  return html`<th scope="row" role="rowheader">${exists ? html`<a href="${pathOf(entry)}">${title}</a> <span class="quiet">${entry.symbol}</span>` : html`<code>${watchedText(entry)}</code>`}${rowStar(entry, title)}${
    entry.metric === undefined &&
    metric !== undefined &&
    html`<span class="sub"><a href="${metricPath(entry.symbol, metric)}">${metricTitle(metric)}</a></span>`
  }</th>`
}

/** The line of an entry without a figure says why over the columns of figures. */
const cellsOf = ({ series, why }: WatchedFigure, now: number): Html => {
  const last = series?.points.at(-1)
  if (series === undefined || last === undefined)
    return html`<td role="cell" class="none" colspan="4"><span class="quiet">${absent}</span> ${why}</td>`
  const marks = marksText({
    by_definition: last.by_definition,
    simulated: last.simulated,
    unconfirmed: series.unconfirmed
  })
  return html`<td role="cell" class="n"><span class="value">${valueOf({ value: last.value, value_text: last.value_text, unit: series.unit })}</span>${marks.map((mark) => html`<span class="sub"${mark === "unconfirmed" && html` title="${unconfirmedWords}"`}>${mark}</span>`)}</td>
<td role="cell" class="graph">${sparkOf(series, new Date(now).toISOString().slice(0, 10), days)}</td>
<td role="cell" class="words">${changeWords(series) ?? html`<span class="quiet">${absent}</span><span class="sub">${series.change?.why ?? series.note}</span>`}</td>
<td role="cell" class="time">${ageOf(series.as_of, now)}<span class="sub">${formatTime(series.as_of)}</span></td>`
}

const rowOf = (figure: WatchedFigure, now: number): Html => {
  const { entry, metric } = figure
  return html`<tr role="row" data-entry="${watchedText(entry)}">${nameCell(figure)}${cellsOf(figure, now)}
<td role="cell" class="alert">${metric !== undefined && figure.why === undefined && html`<a href="${metricPath(entry.symbol, metric)}#tell">Tell me when<span class="visually-hidden">: ${titleOf(figure)}</span></a>`}</td></tr>`
}

/** `now`: the time that the page speaks of, epoch milliseconds. */
export const watchTable = (figures: ReadonlyArray<WatchedFigure>, now: number): Html => {
  const head = (text: string, of = "") => html`<th scope="col" role="columnheader" class="${of}">${text}</th>`
  return html`<table class="cards watched" role="table" aria-label="What is watched"><thead role="rowgroup"><tr role="row">${head("Network or metric")}${head("Value", "n")}${head(`${days} days`)}${head("Change")}${head("Last reading")}${head("Alert")}</tr></thead>
<tbody role="rowgroup">${figures.map((one) => rowOf(one, now))}</tbody></table>`
}
