/** One category: what it adds up to, who leads by which metric, what moved, and what is not measured. */
import { Effect } from "effect"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { kindOf } from "../../../core/catalog/kindOf.ts"
import { measurePath } from "../../../core/catalog/Measures.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { competitiveLandscape } from "../../../core/products/competitive_landscape/build.ts"
import { productOf } from "../../../core/products/index.ts"
import { isBroadBase } from "../../../core/readings/change.ts"
import {
  categoryFigures,
  placeOf,
  type RankedFigure,
  rankedFigures
} from "../../../core/readings/read/category.ts"
import { listing } from "../../../core/readings/read/listing.ts"
import { notCovered } from "../../../core/readings/read/networks.ts"
import { type Overview, overview } from "../../../core/readings/read/overview.ts"
import { rankChangesSince } from "../../../core/readings/read/rankChanges.ts"
import { isRowCounted, valueRow } from "../../../core/readings/read/valueRow.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { priceText } from "../html/buyForm.ts"
import { changeSentence } from "../html/change.ts"
import { compareLink } from "../html/compareLink.ts"
import { absent, categoryTitle, formatNumber, metricTitle, shareText, withoutLater } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { rankChangeCell, rankChangeHead, rankChangeNote } from "../html/rankChange.ts"
import { roughly, roughText } from "../html/roughly.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { ageOf, marksText, metricPath, networkPath, outward } from "../html/values.ts"
import { wideTable } from "../html/wideTable.ts"
import { categoryShares } from "./categoryShares.ts"
import { type Line, linesOf, paramsOf } from "./networkList.ts"
import { productPath } from "./products.ts"
import { waitingNote } from "./waiting.ts"

export const categoryPath = (category: Category): string => `/category/${category}`

const nameOf = (symbol: string): string => bySymbol.get(symbol)?.name ?? symbol

/** The most figures that are summed, movers, and names in a sentence. */
const most = { figures: 8, movers: 5, named: 6 } as const

/** Networks of a table of a ranking. */
export const mostRanked = 50

const namesText = (symbols: ReadonlyArray<string>): string =>
  symbols.length > most.named
    ? `${symbols.slice(0, most.named).map(nameOf).join(", ")} and ${symbols.length - most.named} more`
    : symbols.map(nameOf).join(", ")

/** The sum, of how many networks it is, and why there is none. */
const sumPart = ({ counted, metric, missing, total, unit }: RankedFigure): Html => {
  const of = counted.length + missing.length
  return html`<div data-sum="${metric}"><dt>${metricTitle(metric)}</dt><dd>${total === null ? absent : roughText(total, unit)}<small>${
    total === null
      ? `${formatNumber(counted.length)} of ${formatNumber(of)} networks now; no sum without ${namesText(missing)}`
      : `sum of ${formatNumber(counted.length)} of ${formatNumber(of)} networks`
  }</small></dd></div>`
}

const rankingNav = (category: Category, figures: ReadonlyArray<RankedFigure>, chosen: RankedFigure): Html =>
  html`<nav class="tabs" aria-label="Rank by">${figures.map(
    ({ metric }) =>
      html`<a href="${categoryPath(category)}?metric=${encodeURIComponent(metric)}"${metric === chosen.metric && raw(' aria-current="true"')}>${metricTitle(metric)}</a>`
  )}</nav>`

/** Days before today since which changes of rank are shown. */
const rankedSince = [7, 30] as const

const ranking = Effect.fnUntraced(function* (figure: RankedFigure, now: number) {
  const { counted, meaning, measure, metric, missing, total } = figure
  const rows = counted.slice(0, mostRanked)
  // Changes of rank are those of an order with the largest first.
  const ofLargest = measure.best === "most" ? counted : []
  const since = yield* orProblem(
    Effect.forEach(rankedSince, (daysAgo) => rankChangesSince(ofLargest, daysAgo))
  )
  const changes = since.flatMap((one) => (one === undefined || one.bySeries.size === 0 ? [] : [one]))
  return html`${meaning !== undefined && html`<p class="quiet">${meaning}</p>`}<p><a href="${measurePath(measure)}">${measure.title}, over all categories</a></p>
${yield* categoryShares(figure, now)}
${wideTable(
  `Ranking by ${metricTitle(metric)}`,
  html`<table class="ranking" role="table" aria-label="Networks by ${metricTitle(metric)}"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader" class="n">#</th><th scope="col" role="columnheader">Network</th><th scope="col" role="columnheader" class="n">${metricTitle(metric)}</th>${measure.adds && html`<th scope="col" role="columnheader" class="n">Share</th>`}${changes.map(rankChangeHead)}<th scope="col" role="columnheader" class="n">Age</th><th scope="col" role="columnheader">See it at</th></tr></thead>
<tbody role="rowgroup">${rows.map((one) => {
    const row = valueRow(one)
    return html`<tr role="row" data-symbol="${row.symbol}"><td role="cell" class="n">${placeOf(figure, one.row.value)}</td><th scope="row" role="rowheader"><a href="${networkPath(row.symbol)}">${nameOf(row.symbol)}</a> <span class="quiet">${row.symbol}</span></th>
<td role="cell" class="n"><a class="plain" href="${metricPath(row.symbol, metric)}">${roughly(row)}</a>${marksText(row).map((mark) => html` <span class="quiet">${mark}</span>`)}</td>${measure.adds && html`<td role="cell" class="n label" data-label="Share">${total === null || total <= 0 ? absent : shareText(row.value / total)}</td>`}${changes.map((of) => rankChangeCell(of, one.series))}<td role="cell" class="n extra">${ageOf(row.as_of, now)}</td><td role="cell" class="extra">${outward(row.verify_url, undefined, `${metricTitle(metric)} of ${nameOf(row.symbol)}`)} · ${compareLink(row.symbol, metric, nameOf(row.symbol))}</td></tr>`
  })}</tbody></table>`
)}
${counted.length > rows.length && html`<p class="quiet">The first ${rows.length} of ${formatNumber(counted.length)}.</p>`}
${rankChangeNote(changes)}
${missing.length > 0 && html`<p>Not ranked, because their last value is older than 7 days, of an unconfirmed feed, or a 0 by definition: ${namesText(missing)}.${measure.adds && " Without them there is no sum, and no share of it."}</p>`}`
})

/** How concentrated the market value is, in the words of the product that has every share of it. */
const concentration = Effect.fnUntraced(function* (category: Category) {
  const { categories } = yield* orProblem(competitiveLandscape)
  const own = categories.find((one) => one.category === category)
  const { sale, title } = productOf("competitive_landscape")
  if (own === undefined || own.hhi === null || own.concentration === null) return false
  const three = own.networks.slice(0, 3)
  const shares = three.map(({ market_share }) => market_share ?? 0).reduce((sum, share) => sum + share, 0)
  return html`<section aria-labelledby="shares"><h2 id="shares">Shares and concentration</h2>
<p>By market value of the ${formatNumber(own.n_measured)} of ${formatNumber(own.n_networks)} networks whose value is measured, the three largest, ${namesText(three.map(({ symbol }) => symbol))}, hold ${shareText(shares)}. The index of concentration (HHI) is ${formatNumber(Math.round(own.hhi))} of 10,000: ${own.concentration}, by the thresholds of the US merger guidelines of 2023.</p>
<p class="quiet">This is an excerpt. <a href="${productPath("competitive_landscape")}">${title}, ${priceText(Number(sale.price))}</a>, has every share of every category with its input.</p></section>`
})

/** The changes within the week before the last closed day, the largest first, from a base that they can be ranked from. */
const movers = (lines: ReadonlyArray<Line>): Html | false => {
  const moved = lines
    .flatMap(({ headline, row, week }) => {
      const { change, unit } = week ?? {}
      return headline === undefined ||
        week === undefined ||
        change === undefined ||
        change.relative === null ||
        change.relative === 0 ||
        unit === undefined ||
        !isRowCounted(headline) ||
        !isBroadBase({ metric: headline.metric, unit }, change.from.value)
        ? []
        : [{ row, week, headline, size: Math.abs(change.relative) }]
    })
    .toSorted((a, b) => b.size - a.size)
    .slice(0, most.movers)
  return (
    moved.length > 0 &&
    html`<section aria-labelledby="movers"><h2 id="movers">Largest changes of the week</h2><ul class="plain">${moved.map(
      ({ headline, row, week }) =>
        html`<li data-mover="${row.symbol}"><a href="${metricPath(row.symbol, headline.metric)}">${row.name}, ${metricTitle(headline.metric)}</a>: ${changeSentence(week)}</li>`
    )}</ul></section>`
  )
}

/** What has no telemetry of its own, by reason. */
const unmeasured = (
  entries: ReadonlyArray<Overview>,
  reasons: Readonly<Record<string, string>>,
  now: number
): Html | false => {
  const without = entries.filter(({ row }) => row.telemetry_tier !== "first_party")
  const groups = [
    ...Map.groupBy(without, ({ row }) => reasons[row.symbol] ?? "its feed has no value of the last 7 days")
  ].toSorted(([, a], [, b]) => b.length - a.length)
  return (
    without.length > 0 &&
    html`<section aria-labelledby="missing"><h2 id="missing">Not measured: ${formatNumber(without.length)} of ${formatNumber(entries.length)}</h2>
${groups.map(
  ([reason, of]) =>
    html`<details><summary>${formatNumber(of.length)} ${of.length === 1 ? "network" : "networks"}: ${withoutLater(reason, now)}</summary><p>${of.map(({ row }, n) => html`${n > 0 && ", "}<a href="${networkPath(row.symbol)}">${row.name}</a>`)}</p></details>`
)}</section>`
  )
}

export const category = Effect.fn("explorer.category")(function* (named: string, metric: string | undefined) {
  const name = Category.literals.find((one) => one === named)
  if (name === undefined) {
    return yield* new NotFound({
      message: `There is no category of this name. Valid: ${Category.literals.join(", ")}.`
    })
  }
  const now = yield* pageTime
  const entries = (yield* overview()).filter(({ row }) => row.category === name && kindOf(row) !== "subnet")
  const figures = rankedFigures(yield* categoryFigures(name))
  const summed = figures.filter(({ measure }) => measure.adds).slice(0, most.figures)
  const chosen = metric === undefined ? figures[0] : figures.find((one) => one.metric === metric)
  if (metric !== undefined && chosen === undefined) {
    const valid = figures.map((one) => one.metric).join(", ")
    const message = `${categoryTitle(name)} has no ranking by a metric of this name. ${valid === "" ? "It has no ranking at all." : `Valid: ${valid}.`}`
    return yield* new NotFound({ message })
  }
  const lines = yield* linesOf(
    paramsOf({}),
    entries.filter(({ headline }) => headline !== undefined)
  )
  const symbols = new Set(entries.map(({ row }) => row.symbol))
  const measured = entries.filter(({ row }) => row.telemetry_tier === "first_party").length
  const title = categoryTitle(name)
  const ofMetric = metric === undefined ? "" : `?metric=${encodeURIComponent(metric)}`
  return yield* respondPage({
    title: `${title}: ${formatNumber(entries.length)} networks`,
    description: `${title}: ${measured} networks with telemetry of their own of ${entries.length} listed, their sums, ranks, changes of the week, and what is not measured.`,
    path: `${categoryPath(name)}${ofMetric}`,
    picture: `${categoryPath(name)}/picture.png${ofMetric}`,
    script: "category",
    body: html`<p class="trail"><a href="/networks">Networks</a> / ${title}</p><h1>${title}</h1>
<p class="lede">${formatNumber(measured)} ${measured === 1 ? "network has telemetry of its own" : "networks have telemetry of their own"}, of ${formatNumber(entries.length)} listed. <a href="/networks?category=${name}">All of them as a list</a>.</p>${yield* waitingNote((symbol) => symbols.has(symbol))}
${summed.length > 0 && html`<section aria-labelledby="sums"><h2 id="sums">What it adds up to</h2><p class="quiet">One metric in one unit, of every network of which it was ever read. Where one has no value of the last 7 days, there is no sum.</p><dl class="strip sums">${summed.map(sumPart)}</dl></section>`}
${chosen !== undefined && html`<section aria-labelledby="ranking"><h2 id="ranking">Ranking</h2>${rankingNav(name, figures, chosen)}${yield* ranking(chosen, now)}</section>`}
${yield* concentration(name)}
${movers(lines)}
${unmeasured(entries, yield* notCovered((yield* listing).bySymbol), now)}`
  })
})
