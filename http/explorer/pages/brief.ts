/** The weekly brief with charts of its own figures, the archive by date, and the feed. */
import { Effect } from "effect"
import { attestPath } from "../../../core/log/record/attestPath.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { Brief, documentOf, editionOf, type Listed } from "../../../core/publications/Brief.ts"
import { type Cell, type Section, sectionsOf, type Table } from "../../../core/publications/edition/layout.ts"
import { isDay } from "../../../core/readings/read/parameters.ts"
import { oneAccount } from "../../../core/readings/read/wholes.ts"
import type { BriefDocument, Figure, Gap, Pair } from "../../../core/wire/log/brief.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { type Bar, bothBars } from "../charts/barChart.ts"
import { atomResponse } from "../html/atom.ts"
import { coded } from "../html/coded.ts"
import { formatChange, formatDay, formatNumber, formatTime, metricTitle, valueText } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { roughly, roughText } from "../html/roughly.ts"
import { respondPage } from "../html/shell.ts"
import { sourceWords } from "../html/sourceWords.ts"
import { metricPath, networkPath, outward } from "../html/values.ts"
import { wideTable } from "../html/wideTable.ts"

const pathOf = (date: string): string => `/brief/${date}`

/** A figure leads to its page, its source and its proof. */
const figure = (symbol: string, one: Figure): Html =>
  html`<span class="value">${roughly(one)}</span><span class="sub"><a href="${metricPath(symbol, one.metric)}">${metricTitle(one.metric)}</a>, ${outward(one.verify_url, sourceWords(one.source), `${symbol} ${metricTitle(one.metric)}`)}, <a href="${attestPath({ symbol, metric: one.metric, source: one.source, day: one.as_of.slice(0, 10) })}">proof of ${formatDay(one.as_of)}<span class="visually-hidden">, ${symbol} ${metricTitle(one.metric)}</span></a></span>`

const pair = (symbol: string, { before, change_pct, now }: Pair): Html =>
  html`${figure(symbol, now)}<span class="sub">${before === null ? "no value a week before" : html`${roughText(before.value, now.unit)} a week before, ${formatChange(change_pct)}`}</span>`

const cell = (of: Cell): Html | string => {
  switch (of.kind) {
    case "network":
      return html`<a href="${networkPath(of.symbol)}">${nameOfSymbol(of.symbol)}</a>`
    case "figure":
      return figure(of.symbol, of.figure)
    case "pair":
      return pair(of.symbol, of.pair)
    case "number":
      return of.unit === undefined ? formatNumber(of.value) : `${formatNumber(of.value)} ${of.unit}`
    case "range":
      return `${valueText(of.low, of.unit)} to ${valueText(of.high, of.unit)}`
    case "change":
      return formatChange(of.percent)
    case "time":
      return formatTime(of.at)
    case "text":
      return html`${coded(of.text)}${of.second !== undefined && html`<span class="sub">${coded(of.second)}</span>`}`
    case "code":
      return html`<code>${of.text}</code><span class="sub">${coded(of.second)}</span>`
  }
}

const table = ({ columns, rows, title, total }: Table): Html =>
  rows.length === 0
    ? html`<p class="quiet">${title}: none.</p>`
    : html`<h3>${title}${total > rows.length && html` <span class="quiet">${rows.length} of ${total}</span>`}</h3>${wideTable(
        title,
        html`<table class="brief${columns.length > 2 && " many"}" aria-label="${title}"><thead><tr>${columns.map((one) => html`<th scope="col">${one}</th>`)}</tr></thead>
<tbody>${rows.map(([first, ...others]) => html`<tr><th scope="row">${first !== undefined && cell(first)}</th>${others.map((one) => html`<td>${cell(one)}</td>`)}</tr>`)}</tbody></table>`
      )}`

const networks = (n: number): string => `${n} ${n === 1 ? "network" : "networks"}`

const gaps = (title: string, all: ReadonlyArray<Gap>): Html | false =>
  all.length > 0 &&
  html`<details><summary>${title}: ${networks(all.reduce((sum, { n }) => sum + n, 0))}</summary><ul>${all.map(({ examples, n, reason }) => html`<li>${networks(n)} (${examples.join(", ")}${n > examples.length && ", …"}): ${coded(reason)}</li>`)}</ul></details>`

const bars = (id: string, title: string, all: ReadonlyArray<Bar>): Html | false =>
  all.length > 1 &&
  html`<figure class="figure bars"><figcaption><span class="quiet">${title}</span></figcaption>${raw(bothBars({ id, title, bars: all }))}</figure>`

const changeBars = (
  rows: ReadonlyArray<{ readonly symbol: string; readonly change: number | null }>
): ReadonlyArray<Bar> =>
  rows.flatMap(({ change, symbol }) =>
    change === null ? [] : [{ name: symbol, value: change, text: formatChange(change) }]
  )

/** The charts of sections that have one. */
const charts: Partial<Record<Section["id"], (brief: BriefDocument) => Html | false>> = {
  movers: ({ supply_movers: { down, up } }) =>
    bars(
      "movers-chart",
      "Change of capacity in seven days",
      changeBars(
        [...up, ...down.toReversed()].map(({ supply, symbol }) => ({ symbol, change: supply.change_pct }))
      )
    ),
  demand: ({ capacity_and_demand: { rows } }) =>
    bars(
      "demand-chart",
      "Change of capacity minus change of demand, in percentage points",
      rows.map(({ divergence_points, symbol }) => ({
        name: symbol,
        value: divergence_points,
        text: `${divergence_points > 0 ? "+" : ""}${formatNumber(divergence_points)}`
      }))
    ),
  flows: ({ exchange_flows: { inflows, outflows } }) =>
    bars(
      "flows-chart",
      "Change of the labelled balance in seven days",
      changeBars(
        [...inflows, ...outflows.toReversed()].map(({ balance, symbol }) => ({
          symbol,
          change: balance.change_pct
        }))
      )
    ),
  holders: ({ holder_concentration: { rows } }) =>
    bars(
      "holders-chart",
      `Share of the circulating supply in ${oneAccount}`,
      rows.map(({ share_pct, symbol }) => ({
        name: symbol,
        value: share_pct,
        text: `${formatNumber(share_pct)} %`
      }))
    )
}

/** Where more is said of a section. */
const links: Partial<Record<Section["id"], Html>> = {
  unusual: html` <a href="/method#anomalies">The rules</a>, and <a href="/anomalies">all of the week</a>.`
}

const sectionOf =
  (brief: BriefDocument) =>
  ({ after, gaps: missing, id, says, tables, title }: Section): Html =>
    html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${says !== undefined && html`<p class="quiet">${says}${links[id]}</p>`}
${charts[id]?.(brief)}
${tables.map(table)}
${after !== undefined && html`<p>${after}</p>`}${missing.map(([name, of]) => gaps(name, of))}</section>`

const archive = (editions: ReadonlyArray<Listed>, date: string): Html =>
  html`<section aria-labelledby="archive"><h2 id="archive">All editions</h2><ul class="editions">${editions.map(
    (one) =>
      html`<li>${one.date === date ? html`<strong aria-current="true">${formatDay(one.date)}</strong>` : html`<a href="${pathOf(one.date)}">${formatDay(one.date)}</a>`}</li>`
  )}</ul><p><a href="/brief/atom.xml">Atom feed</a>: a new edition every Monday at 08:00 UTC.</p></section>`

const feedLink = html`<link rel="alternate" type="application/atom+xml" title="Plumbline: the weekly brief" href="/brief/atom.xml">`

const noneYet = (date: string | undefined) =>
  date === undefined
    ? respondPage({
        title: "The weekly brief",
        description:
          "What changed in a week, from published values only. The first edition has not been written yet.",
        path: "/brief",
        script: "page",
        head: feedLink,
        body: html`<h1>The weekly brief</h1><p class="lede">No edition has been written yet. One is written every Monday at 08:00 UTC, once the Sunday before it is closed.</p><p><a href="/brief/atom.xml">Atom feed</a> · <a href="/networks">All networks</a></p>`
      })
    : Effect.fail(
        new NotFound({
          message: `There is no brief of ${date.slice(0, 40)}. Editions are written on Mondays at 08:00 UTC; /brief lists them.`
        })
      )

/** The edition of a date, or the newest. */
export const brief = Effect.fn("explorer.brief")(function* (date: string | undefined) {
  if (date !== undefined && !isDay(date)) return yield* noneYet(date)
  const edition = yield* editionOf(date).pipe(
    Effect.catchTag("BriefUnknown", () => Effect.succeed(undefined)),
    orProblem
  )
  if (edition === undefined) return yield* noneYet(date)
  const document = yield* Effect.orDie(documentOf(edition.body))
  const editions = yield* orProblem((yield* Brief).editions)
  const place = editions.findIndex((one) => one.date === document.date)
  const [later, earlier] = [editions[place - 1], editions[place + 1]]
  const [first = document.date, last = document.date] = document.days
  return yield* respondPage({
    title: `The weekly brief of ${formatDay(document.date)}`,
    description: `${formatDay(first)} to ${formatDay(last)}: capacity movers, demand, feeds that stopped, supply on chain, exchange wallets and holders, each figure with its source and its proof.`,
    path: date === undefined ? "/brief" : pathOf(document.date),
    picture: `${pathOf(document.date)}/picture.png`,
    script: "page",
    head: feedLink,
    body: html`<p class="trail"><a href="/brief">Weekly brief</a> / ${formatDay(document.date)}</p><h1>The weekly brief of ${formatDay(document.date)}</h1>
${document.simulated === true && html`<p><strong>Simulated: the demonstration made these figures. Nothing here was measured.</strong></p>`}
<p class="lede">The week from ${formatDay(first)} to ${formatDay(last)}, as it was published by ${formatTime(document.cut_off)}.</p>
<nav class="pages" aria-label="Editions">${earlier !== undefined && html`<a rel="prev" href="${pathOf(earlier.date)}">Week before</a>`}${later !== undefined && html`<a rel="next" href="${pathOf(later.date)}">Week after</a>`}<a href="#archive">All ${editions.length}</a></nav>
${sectionsOf(document).map(sectionOf(document))}
<section aria-labelledby="made"><h2 id="made">How it is made</h2><p>${document.method}</p>
${gaps("Left out", document.left_out ?? [])}
<p class="quiet">This edition is in the log as <code>${edition.sha256}</code>. <a href="/v1/brief?date=${document.date}">JSON</a> · <a href="${document.full_url}">The full edition</a> with every row and every gap</p></section>
${archive(editions, document.date)}`
  })
})

/** Editions in the feed; older ones are in the archive. */
const inFeed = 20

export const briefFeed = Effect.fn("explorer.briefFeed")(function* () {
  const { baseUrl } = yield* HttpSettings
  const editions = (yield* orProblem((yield* Brief).editions)).slice(0, inFeed)
  return atomResponse({
    id: `${baseUrl}/brief`,
    title: "Plumbline: the weekly brief",
    subtitle: "What changed in a week in decentralized infrastructure networks, from published values only",
    self: `${baseUrl}/brief/atom.xml`,
    page: `${baseUrl}/brief`,
    entries: editions.map(({ date, recorded_at, sha256 }) => ({
      id: `${baseUrl}${pathOf(date)}`,
      title: `The weekly brief of ${formatDay(date)}`,
      updated: isoTime(recorded_at.getTime()),
      page: { href: `${baseUrl}${pathOf(date)}`, type: "text/html" },
      related: { href: `${baseUrl}/v1/brief?date=${date}`, type: "application/json" },
      summary: `The week before ${formatDay(date)}, from published values only. SHA-256 of the document in the log: ${sha256}.`
    }))
  })
})
