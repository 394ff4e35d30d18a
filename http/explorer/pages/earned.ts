/** What networks earn and pay out: the page and the files of the measure `earned`. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { isSubnet } from "../../../core/catalog/kindOf.ts"
import { type Family, type Rung, rungMeanings, rungs, type Span } from "../../../core/plugin/flows.ts"
import { csvText } from "../../../core/readings/csv.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { bulk, withheldReason } from "../../../core/readings/read/bulk.ts"
import {
  coverages,
  type EarnedFigure,
  earnedDays,
  earnedFigures,
  methodPath,
  notExplained,
  othersOf,
  unobserved
} from "../../../core/readings/read/earned.ts"
import { listing } from "../../../core/readings/read/listing.ts"
import { visibleTo } from "../../../core/readings/read/selection.ts"
import { valueSample } from "../../../core/readings/read/supply.ts"
import type { CoverageRow } from "../../../core/wire/data/earned.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { commonTop, fits, multiple } from "../charts/multiples.ts"
import { withheldWords } from "../charts/picture.ts"
import { formatDay, formatNumber, formatTime, valueText } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { roughly, roughText } from "../html/roughly.ts"
import { apart, rungMark, rungWords } from "../html/rung.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { sourceWords } from "../html/sourceWords.ts"
import { marksText, metricPath, networkPath } from "../html/values.ts"
import { framed } from "./framed.ts"

export const earnedPath = "/measure/earned"
export const earnedTitle = "Earned and paid out"

const lede =
  "What users paid each network for its service, and what its suppliers received, with the evidence that each figure stands on."

/** Which of several figures of one side a row has room for: that of a day, or of the shortest time after it. */
const spans: ReadonlyArray<Span> = ["24h", "7d", "30d", "month", "round", "block", "total"]

const spanWords: Readonly<Record<Span, string>> = {
  "24h": "a day",
  "7d": "7 days",
  "30d": "30 days",
  month: "a month",
  round: "a round",
  block: "a block",
  total: "since the start"
}

/** Which days a figure counts, in words. */
const daysText = ({ days, parts }: Pick<EarnedFigure, "days" | "parts">): string =>
  days === undefined
    ? spanWords[parts.span]
    : days.from === days.to
      ? formatDay(days.to)
      : `${formatDay(days.from)} to ${formatDay(days.to)}`

const shownOf = (figures: ReadonlyArray<EarnedFigure>, family: Family): EarnedFigure | undefined => {
  const own = figures.filter(({ parts }) => parts.family === family)
  const span = spans.find((one) => own.some(({ parts }) => parts.span === one))
  return own.find(({ parts }) => parts.span === span)
}

/** Of a figure made of a counter, the page of the counter. */
const pageOf = ({ derivedFrom, row }: EarnedFigure): string =>
  metricPath(row.symbol, derivedFrom ?? row.metric)

const side = (figure: EarnedFigure | undefined): Html =>
  figure === undefined
    ? html`<span class="quiet">not observed</span>`
    : html`<a class="plain" href="${pageOf(figure)}">${roughly(figure.row)}</a>${marksText(figure.row).map(
        (mark) => html` <span class="quiet">${mark}</span>`
      )}<span class="sub">${figure.usd !== undefined && `${roughText(figure.usd.value, "usd")}, `}${daysText(figure)}</span>`

/** The other sources of a figure, each with how far it lies from it, and with a word where it lies far and nobody said why. */
const othersText = (figure: EarnedFigure | undefined): ReadonlyArray<Html> =>
  (figure === undefined ? [] : othersOf(figure)).map(
    ({ difference_percent, rung, source, unit, value, why }) =>
      html`<span class="sub">${sourceWords(source)}: ${roughText(value, unit)} (${rungWords[rung]}${difference_percent !== null && `, ${apart(difference_percent)}`})${why === notExplained && html` ${why}`}</span>`
  )

const evidence = (figures: ReadonlyArray<EarnedFigure | undefined>): ReadonlyArray<Html> =>
  [...new Set(figures.flatMap((figure) => (figure === undefined ? [] : [figure.rung])))].map(
    (rung, n) => html`${n > 0 && ", "}${rungMark(rung)}`
  )

/** What moved: the last of the days that are drawn against the first. */
const movedText = (figure: EarnedFigure | undefined): string => {
  const [first, last] = [figure?.points[0], figure?.points.at(-1)]
  if (
    figure === undefined ||
    first === undefined ||
    last === undefined ||
    first === last ||
    first.value === 0
  )
    return ""
  const change = Math.round((100 * (last.value - first.value)) / first.value)
  return `${change > 0 ? "+" : ""}${formatNumber(change)} % since ${formatDay(first.date)}`
}

interface Sides {
  readonly symbol: string
  readonly earned: EarnedFigure | undefined
  readonly paidOut: EarnedFigure | undefined
  readonly coverage: CoverageRow | undefined
}

/** Both sides of each network. */
export const sidesOf = (
  figures: ReadonlyArray<EarnedFigure>,
  covered: ReadonlyArray<CoverageRow>
): ReadonlyArray<Sides> =>
  [...Map.groupBy(figures, ({ row }) => row.symbol)].map(([symbol, of]) => ({
    symbol,
    earned: shownOf(of, "earned"),
    paidOut: shownOf(of, "paid_out"),
    coverage: covered.find((one) => one.symbol === symbol)
  }))

const row = ({ coverage, earned, paidOut, symbol }: Sides): Html => {
  const name = nameOfSymbol(symbol)
  const method = methodPath(symbol, (earned ?? paidOut)?.row.metric ?? "")
  return html`<tr role="row" data-symbol="${symbol}"><th scope="row" role="rowheader"><a href="${networkPath(symbol)}">${name}</a> <span class="quiet">${symbol}</span></th>
<td role="cell" class="n label" data-label="Earned">${side(earned)}${othersText(earned)}</td><td role="cell" class="n label" data-label="Paid out">${side(paidOut)}${othersText(paidOut)}</td><td role="cell" class="n label" data-label="Coverage">${coverage !== undefined && valueText(coverage.earned_coverage_percent, "percent")}</td><td role="cell" class="label" data-label="Evidence">${evidence([earned, paidOut])}</td><td role="cell" class="n extra">${movedText(earned ?? paidOut)}</td><td role="cell" class="extra"><a href="${method}">Method<span class="visually-hidden"> of ${name}</span></a></td></tr>`
}

const rowsTable = (rows: ReadonlyArray<Sides>, label: string): Html =>
  html`<table class="cards earned-table" role="table" aria-label="${label}"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Network</th><th scope="col" role="columnheader" class="n">Earned</th><th scope="col" role="columnheader" class="n">Paid out</th><th scope="col" role="columnheader" class="n">Coverage</th><th scope="col" role="columnheader">Evidence</th><th scope="col" role="columnheader" class="n">Change</th><th scope="col" role="columnheader">Method</th></tr></thead>
<tbody role="rowgroup">${rows.map(row)}</tbody></table>`

/** Subnets are many and alike: they stand behind a line that opens. */
const table = (rows: ReadonlyArray<Sides>): Html => {
  const networks = rows.filter(({ symbol }) => !isSubnet(symbol))
  const subnets = rows.filter(({ symbol }) => isSubnet(symbol))
  return html`<section aria-labelledby="table"><h2 id="table">By network</h2>
${rowsTable(networks, earnedTitle)}
${subnets.length > 0 && html`<details><summary>${formatNumber(subnets.length)} ${subnets.length === 1 ? "subnet" : "subnets"}</summary>${rowsTable(subnets, `${earnedTitle}, subnets`)}</details>`}
<p class="quiet">Coverage is what was earned as a share of what was paid out, where both are of the same closed days. An aggregator’s figure is next to a better one, and alone where there is none.</p></section>`
}

/** Charts in one frame at most. */
const mostDrawn = 12

const drawnOf = (rows: ReadonlyArray<Sides>): ReadonlyArray<EarnedFigure> =>
  rows
    .flatMap(({ earned, paidOut }) => [earned, paidOut])
    .filter((figure) => figure !== undefined)
    .filter(({ points }) => points.length > 1)
    .slice(0, mostDrawn)

const multiples = (figures: ReadonlyArray<EarnedFigure>, now: number, target = ""): Html => {
  const top = commonTop(figures.map(({ points }) => points))
  return html`<div class="multiples">${figures.map((figure) => {
    const { parts, points, row } = figure
    const name = nameOfSymbol(row.symbol)
    const what = parts.family === "earned" ? "earned" : "paid out"
    return html`<article data-symbol="${row.symbol}"><h3><a href="${pageOf(figure)}"${raw(target)}>${name}</a> <span class="quiet">${what}</span></h3>
<p><span class="big">${roughly(row)}</span> <span class="quiet">${daysText(figure)}</span></p>
${raw(multiple({ points, top, now, days: earnedDays, label: `${name}, ${what}: ${points.length} of ${earnedDays} days have a value` }))}
<p class="quiet">${rungMark(figure.rung)}${!fits(points, top) && html` <em>(axis of its own)</em>`}</p></article>`
  })}</div>`
}

/** Links that leave figures of one rung alone; without a word, all of them. */
const filters = (chosen: Rung | undefined): Html =>
  html`<p class="filters" aria-label="Evidence">${[undefined, ...rungs].map((rung) => {
    const words = rung === undefined ? "All" : rungWords[rung]
    return rung === chosen
      ? html`<strong aria-current="true">${words}</strong> `
      : html`<a href="${earnedPath}${rung === undefined ? "" : `?rung=${rung}`}">${words}</a> `
  })}</p>`

/** What each rung says. */
const rungSection = html`<section aria-labelledby="rungs"><h2 id="rungs">What a figure stands on</h2><dl class="facts">${rungs.map((rung) => html`<dt>${rungMark(rung)}</dt><dd>${rungMeanings[rung]}</dd>`)}</dl></section>`

const missing = (all: ReadonlyArray<EarnedFigure>): Html | false => {
  const rows = unobserved(all)
  return (
    rows.length > 0 &&
    html`<section aria-labelledby="missing"><h2 id="missing">Not observed</h2><dl class="facts">${rows.map(
      ({ families, needs, since, symbol, why }) =>
        html`<dt><a href="${networkPath(symbol)}">${nameOfSymbol(symbol)}</a> <span class="quiet">${families.map((family) => (family === "earned" ? "earned" : "paid out")).join(", ")}, since ${formatDay(since)}</span></dt><dd>${why} It would take: ${needs}</dd>`
    )}</dl></section>`
  )
}

const takeIt = (baseUrl: string, now: number): Html => {
  const frame = `<iframe src="${baseUrl}/embed${earnedPath}" title="${earnedTitle}" width="720" height="560" loading="lazy"></iframe>`
  return html`<section aria-labelledby="take"><h2 id="take">Take it with you</h2>
<p>The file, the frame and the JSON have the day's sample of the networks, and say so first.</p>
<div class="actions"><a class="button" href="${earnedPath}/data.csv">CSV, all days</a><a class="button" href="/v1/earned">JSON</a></div>
<div class="columns"><div><h3><label for="cite">Cite it</label></h3><textarea id="cite" rows="3" readonly>${earnedTitle}, by network. Plumbline, ${baseUrl}${earnedPath}, read ${formatTime(new Date(now).toISOString())}.</textarea></div>
<div><h3><label for="embed">Embed it</label></h3><textarea id="embed" rows="3" readonly>${frame}</textarea></div></div></section>`
}

const networks = (n: number): string => `${formatNumber(n)} ${n === 1 ? "network" : "networks"}`

/** How many networks stand on which rung, by their better side. */
export const rungSentence = (rows: ReadonlyArray<Sides>): string => {
  const of = (rung: Rung) =>
    rows.filter(({ earned, paidOut }) => [earned, paidOut].some((figure) => figure?.rung === rung)).length
  const parts = rungs.flatMap((rung) => (of(rung) > 0 ? [`${networks(of(rung))} ${rungWords[rung]}`] : []))
  return parts.length === 0 ? "No figure is read yet." : `${parts.join(", ")}.`
}

const isRung = (text: string | undefined): text is Rung => rungs.some((rung) => rung === text)

export const earned = Effect.fn("explorer.earned")(function* (rung: string | undefined) {
  const all = yield* orProblem(earnedFigures())
  const chosen = isRung(rung) ? rung : undefined
  const figures = chosen === undefined ? all : all.filter((figure) => figure.rung === chosen)
  const rows = sidesOf(figures, coverages(all))
  const now = yield* pageTime
  const { baseUrl } = yield* HttpSettings
  const drawn = drawnOf(rows)
  return yield* respondPage({
    title: `${earnedTitle}, by network`,
    description: `${lede} ${rungSentence(rows)}`,
    path: earnedPath,
    picture: `${earnedPath}/picture.png`,
    script: "page",
    body: html`<p class="trail"><a href="/measures">Measures</a> / ${earnedTitle}</p><h1>${earnedTitle}</h1>
<p class="lede">${lede}</p>
${drawn.length > 0 && html`<section aria-labelledby="lines"><h2 id="lines">${earnedDays} days</h2>${multiples(drawn, now)}</section>`}
<p>${rungSentence(rows)}</p>${filters(chosen)}${table(rows)}${rungSection}${missing(all)}${takeIt(baseUrl, now)}`
  })
})

/** The figures of the day's sample, and of how many networks they are. */
const sampled = Effect.gen(function* () {
  const all = yield* orProblem(earnedFigures())
  const list = yield* listing
  const symbols = [...new Set(all.map(({ row }) => row.symbol))]
  const { visible } = visibleTo(symbols, {
    breadth: keyless.breadth,
    named: undefined,
    sampleOf: yield* valueSample(list),
    today: list.today
  })
  const chosen = new Set(visible)
  return {
    figures: all.filter(({ row }) => chosen.has(row.symbol)),
    of:
      visible.length < symbols.length
        ? `${visible.length} of ${symbols.length} networks, the day's sample`
        : `all ${symbols.length} networks`
  }
})

/** The first column says of how many networks the file is. */
const columns = [
  "of",
  "symbol",
  "name",
  "family",
  "metric",
  "rung",
  "source",
  "unit",
  "date",
  "value",
  "simulated"
]

/** The days of each figure; what a counter grew by is under the name of a day. */
export const earnedCsv = Effect.gen(function* () {
  const { figures, of } = yield* sampled
  const handedOn = yield* bulk
  const own = figures.filter(({ derivedFrom, parts }) => derivedFrom === undefined && parts.span !== "total")
  const grown = figures.filter(({ derivedFrom, parts }) => derivedFrom !== undefined && parts.span === "24h")
  const rows = [...own, ...grown].flatMap(({ current, parts, points, row, rung }) => {
    const may = handedOn.may(row.source)
    return points.map(({ date, value, value_text }) => [
      of,
      row.symbol,
      nameOfSymbol(row.symbol),
      parts.family,
      row.metric,
      rung,
      row.source,
      row.unit,
      date,
      may ? (value_text ?? String(value)) : "",
      String(current.simulated),
      ...(may ? [] : [withheldReason])
    ])
  })
  return HttpServerResponse.text(yield* csvText(handedOn.columns(columns), rows), {
    contentType: "text/csv; charset=utf-8; header=present",
    headers: { "content-disposition": `attachment; filename="plumbline-earned.csv"` }
  })
})

export const embedEarned = Effect.gen(function* () {
  const { figures, of } = yield* sampled
  const { baseUrl } = yield* HttpSettings
  const address = `${baseUrl}${earnedPath}`
  const handedOn = yield* bulk
  const drawn = drawnOf(sidesOf(figures, []))
  const may = drawn.filter(({ row }) => handedOn.may(row.source))
  return yield* framed({
    title: earnedTitle,
    address,
    body: html`<h1>${earnedTitle}</h1><p>${of.replace(/^./, (first) => first.toUpperCase())}. ${lede}</p>
${multiples(may, yield* pageTime, ' target="_blank" rel="noopener"')}<p><small>${may.length < drawn.length && `${withheldWords} `}<a href="${address}" target="_blank" rel="noopener">All of them, with proofs, at Plumbline</a></small></p>`
  })
})
