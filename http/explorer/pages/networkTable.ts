/** The list of networks as a table: one row each, and one of five sets of columns. */

import type { OverviewField } from "../../../core/readings/read/overview.ts"
import { networkCells } from "../html/catalog.ts"
import { changeCell, changeHead, changeLabel, commonSpan } from "../html/change.ts"
import { columnSets, fieldHeads, type Sort } from "../html/columns.ts"
import { compareLink } from "../html/compareLink.ts"
import { absent, formatDay } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { roughly } from "../html/roughly.ts"
import { sparkWithRange } from "../html/sparkRange.ts"
import { rowStar } from "../html/star.ts"
import { ageOf, metricPath, uncountedMark } from "../html/values.ts"
import { wideTable } from "../html/wideTable.ts"
import { addressOf, columnsOf, type Line, type ListParams, listDays } from "./networkList.ts"

/** What a link in the head of a column does. */
const orderOf = (sort: Sort): string =>
  sort === "name"
    ? "Sort from A to Z"
    : sort === "age"
      ? "Sort with the newest value first"
      : "Sort with the largest first"

const head = (query: ListParams, sort: Sort, text: Html | string, className = ""): Html => {
  const isSorted = query.sort === sort
  return html`<th scope="col" role="columnheader" class="${className}"${isSorted && raw(` aria-sort="${sort === "name" ? "ascending" : "descending"}"`)}><a href="${addressOf(query, { sort: isSorted ? undefined : sort, page: 1 })}" title="${isSorted ? "Sort by market value" : orderOf(sort)}">${text}</a></th>`
}

const plainHead = (text: string, className = ""): Html =>
  html`<th scope="col" role="columnheader" class="${className}">${text}</th>`

const none = html`<span class="quiet">${absent}</span>`

const fieldCell = ({ figures, row: { symbol } }: Line, field: OverviewField): Html => {
  const row = figures?.row(field)
  return html`<td role="cell" class="n" data-field="${field}">${
    row === undefined
      ? none
      : html`<a class="plain" href="${metricPath(symbol, field)}">${roughly(row)}</a>${uncountedMark(row)}`
  }</td>`
}

/** The value with the metric below it. */
const supplyCell = ({ headline, row }: Line, now: number): Html => {
  const { metric } = networkCells(row)
  return headline === undefined
    ? html`<td role="cell" class="supplies"><span class="metric">${metric}</span></td>`
    : html`<td role="cell" class="supplies"><span class="value">${roughly(headline)}</span><span class="sub"><span class="metric">${metric}</span> · ${ageOf(headline.as_of, now)} · ${compareLink(headline.symbol, headline.metric, row.name)}</span></td>`
}

/** The newest day whose value is in the log. */
const proofOf = ({ row, series }: Line): Html => {
  const closed = series?.points.filter(({ open }) => open !== true).at(-1)
  if (closed === undefined) return none
  return html`${formatDay(closed.date)}${row.stamped_on_chain && html`<span class="sub">in Bitcoin</span>`}`
}

interface TableParts {
  readonly heads: Html
  readonly cells: (line: Line) => Html
}

const partsOf = (query: ListParams, lines: ReadonlyArray<Line>, now: number): TableParts => {
  const set = columnsOf(query)
  const { fields } = columnSets[set]
  const fieldHeadsOf = html`${fields.map((field) => head(query, field, fieldHeads[field], "n"))}`
  const fieldsOf = (line: Line) => html`${fields.map((field) => fieldCell(line, field))}`
  if (set === "data")
    return {
      heads: html`${plainHead("Headline metric")}${plainHead("Telemetry")}${head(query, "series", "Series", "n")}${head(query, "age", "Age", "n")}${plainHead("In the log up to")}`,
      cells: (line) => {
        const { metric, series, telemetry } = networkCells(line.row)
        return html`<td role="cell" class="metric">${metric}</td><td role="cell" class="telemetry">${telemetry}</td><td role="cell" class="n series">${series}</td><td role="cell" class="n">${line.headline === undefined ? none : ageOf(line.headline.as_of, now)}</td><td role="cell">${proofOf(line)}</td>`
      }
    }
  if (set !== "supply") return { heads: fieldHeadsOf, cells: fieldsOf }
  const today = new Date(now).toISOString().slice(0, 10)
  const weekSpan = commonSpan(lines.map(({ week }) => week))
  const span = commonSpan(lines.map(({ series }) => series))
  return {
    heads: html`${plainHead("What it supplies")}${plainHead(`${listDays} days`)}${head(query, "week", changeHead(weekSpan, "7 days"), "n")}${head(query, "change", changeHead(span, `${listDays} days`), "n")}${fieldHeadsOf}`,
    cells: (line) =>
      html`${supplyCell(line, now)}<td role="cell" class="graph">${sparkWithRange(line.series, today, listDays)}</td><td role="cell" class="n">${changeCell(line.week, weekSpan)}</td><td role="cell" class="n" data-label="${changeLabel(line.series)}">${changeCell(line.series, span)}</td>${fieldsOf(line)}`
  }
}

/** `from` is the place of the first line in the whole list, from 0. */
export const networkTable = (
  query: ListParams,
  lines: ReadonlyArray<Line>,
  from: number,
  now: number
): Html => {
  const { cells, heads } = partsOf(query, lines, now)
  return html`<p class="swipe">The table scrolls sideways: more columns are to the right.</p>
${wideTable(
  "Table of the networks",
  html`<table class="networks" role="table" aria-labelledby="networks">
<thead role="rowgroup"><tr role="row">${plainHead("#", "n place")}<th scope="col" role="columnheader" class="watch"><span class="visually-hidden">Watch</span></th>${head(query, "name", "Network")}${heads}</tr></thead>
<tbody role="rowgroup">${lines.map((line, n) => {
    const { headline, row } = line
    return html`<tr role="row" data-symbol="${row.symbol}"${headline !== undefined && html` data-source="${headline.source}"`}>
<td role="cell" class="n place">${from + n + 1}</td><td role="cell" class="watch">${rowStar({ symbol: row.symbol }, row.name)}</td><th scope="row" role="rowheader">${networkCells(row).name}</th>${cells(line)}</tr>`
  })}</tbody></table>`
)}`
}
