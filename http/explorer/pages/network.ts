/** The page of one network: who it is, its headline, everything that is measured, and what is not. */
import { Effect } from "effect"
import { bySymbol, networks, subnetSymbols } from "../../../core/catalog/Catalog.ts"
import { isSubnet } from "../../../core/catalog/kindOf.ts"
import { type Role, Tier } from "../../../core/plugin/kinds.ts"
import type { Terms } from "../../../core/plugin/Manifest.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { history } from "../../../core/readings/read/history.ts"
import { type Profile, profile, type ReadMetric } from "../../../core/readings/read/profile.ts"
import { isRowCounted } from "../../../core/readings/read/valueRow.ts"
import type { HistorySeries } from "../../../core/wire/data/history.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { Operator, type OperatorDetails } from "../../Operator.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { bothSizes } from "../charts/lineChart.ts"
import { seenMark, seenSentence } from "../html/agreement.ts"
import { changeCell, changeHead, changeLabel, changeSentence, commonSpan } from "../html/change.ts"
import { coded } from "../html/coded.ts"
import { compareLink } from "../html/compareLink.ts"
import { mailLink, noAddress } from "../html/contact.ts"
import { datasetOf } from "../html/dataset.ts"
import {
  absent,
  categoryTitle,
  formatTime,
  metricTitle,
  metricWords,
  telemetryWords,
  tierWords,
  withoutLater
} from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { rightsSection } from "../html/rights.ts"
import { roughly } from "../html/roughly.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { sparkWithRange } from "../html/sparkRange.ts"
import { rowStar, starButton } from "../html/star.ts"
import { term } from "../html/terms.ts"
import {
  agedOf,
  ageOf,
  definedWords,
  exceedsMark,
  heldWords,
  metricPath,
  networkPath,
  outward,
  uncountedMark,
  uncountedWords,
  valueOf
} from "../html/values.ts"
import { categoryPath } from "./category.ts"
import { introduction } from "./introduction.ts"

const days = 30

const roles: ReadonlyArray<Role> = ["headline", "capacity", "measure", "parameter", "breakdown"]
const rank = ({ role }: ReadMetric): number => roles.indexOf(role)

/** What a reader looks for first, of the kinds that have dozens of metrics; the others of the kind are folded away. */
const leading: Readonly<Partial<Record<Tier, ReadonlyArray<string>>>> = {
  market: [
    "price_usd",
    "market_cap_usd",
    "fully_diluted_valuation_usd",
    "volume_24h_usd",
    "circulating_supply",
    "total_supply",
    "max_supply",
    "market_cap_rank"
  ]
}

type SeriesByMetric = Readonly<Record<string, HistorySeries>>

const rowOf = (
  { symbol }: Profile,
  { agreement, exceeds, meaning, metric, row, second }: ReadMetric,
  series: HistorySeries | undefined,
  now: number,
  span: string | undefined
): Html => html`<tr role="row" data-metric="${metric}" data-source="${row.source}">
<th scope="row" role="rowheader"><a href="${metricPath(symbol, metric)}">${metricTitle(metric)}</a>${rowStar({ symbol, metric }, metricTitle(metric))}${meaning !== undefined && html`<span class="sub">${coded(meaning)}</span>`}</th>
<td role="cell" class="n"><span class="value">${roughly(row)}</span>${uncountedMark(row)}${exceedsMark(exceeds)}${second !== undefined && html`<span class="sub">a second source disagrees</span>`}${seenMark(agreement)}</td>
<td role="cell" class="graph">${sparkWithRange(series, new Date(now).toISOString().slice(0, 10), days)}</td>
<td role="cell" class="n label" data-label="${changeLabel(series)}">${changeCell(series, span)}</td>
<td role="cell" class="n extra">${ageOf(row.as_of, now)}</td>
<td role="cell" class="extra">${outward(row.verify_url, undefined, metricTitle(metric))} · ${compareLink(symbol, metric, metricTitle(metric))}</td>
</tr>`

const table = (
  of: Profile,
  metrics: ReadonlyArray<ReadMetric>,
  series: SeriesByMetric,
  now: number
): Html => {
  const span = commonSpan(metrics.map(({ metric }) => series[metric]))
  return html`<table class="cards metrics" role="table" aria-labelledby="${metrics[0]?.tier ?? ""}"><thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Metric</th><th scope="col" role="columnheader" class="n">Value</th>
<th scope="col" role="columnheader">30 days</th><th scope="col" role="columnheader" class="n">${changeHead(span)}</th><th scope="col" role="columnheader" class="n">Age</th><th scope="col" role="columnheader">See it at</th></tr></thead>
<tbody role="rowgroup">${metrics.map((one) => rowOf(of, one, series[one.metric], now, span))}</tbody></table>`
}

/** Above this many, the lesser ones are folded away. */
const most = 12

/** The metrics of one kind: those that lead, and behind a summary those that are parts of others or of less interest. */
const group = (of: Profile, tier: Tier, series: SeriesByMetric, now: number): Html | false => {
  const metrics = of.metrics.filter((one) => one.tier === tier).toSorted((a, b) => rank(a) - rank(b))
  if (metrics.length === 0) return false
  const first = leading[tier]
  const leads = ({ metric, role }: ReadMetric): boolean =>
    first === undefined ? role !== "breakdown" : first.includes(metric)
  const visible = metrics.length <= most || !metrics.some(leads) ? metrics : metrics.filter(leads)
  const ordered =
    first === undefined
      ? visible
      : visible.toSorted((a, b) => first.indexOf(a.metric) - first.indexOf(b.metric))
  const others = metrics.filter((one) => !visible.includes(one))
  return html`<section aria-labelledby="${tier}"><h2 id="${tier}">${tierWords[tier]}</h2>
${table(of, ordered, series, now)}
${others.length > 0 && html`<details><summary>${others.length} more</summary>${table(of, others, series, now)}</details>`}
</section>`
}

const identity = ({ network, stamped, symbol }: Profile): Html => {
  const github = network?.github === undefined ? undefined : `https://github.com/${network.github}`
  const rows: ReadonlyArray<readonly [string, Html | string | undefined]> = [
    ["Category", network === undefined ? undefined : categoryTitle(network.category)],
    ["Website", network?.website === undefined ? undefined : outward(network.website)],
    ["Code", github === undefined ? undefined : outward(github, network?.github)],
    [
      "Token",
      network?.coingecko_id === undefined
        ? undefined
        : outward(`https://www.coingecko.com/en/coins/${network.coingecko_id}`, `${symbol} at CoinGecko`)
    ],
    ["Chain", network?.chain],
    [
      "Contract",
      network?.token_contract === undefined ? undefined : html`<code>${network.token_contract}</code>`
    ],
    ["Proof", stamped ? "A batch with a value of this network is anchored in Bitcoin" : undefined],
    ["JSON", html`<a href="/v1${networkPath(symbol)}"><code>/v1${networkPath(symbol)}</code></a>`]
  ]
  return html`<dl class="facts">${rows.map(([name, value]) => value !== undefined && html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`
}

/** The networks that share a ticker with this one: the first listed has it alone, the others as `TICKER.NAME`. */
const namesakes = ({ symbol }: Profile): Html | false => {
  const others = (byTicker.get(tickerOf(symbol)) ?? []).filter((one) => one.symbol !== symbol)
  return (
    bySymbol.has(symbol) &&
    others.length > 0 &&
    html`<p>Not to be confused with ${others.map((one, n) => html`${n > 0 && ", "}<a href="${networkPath(one.symbol)}">${one.name}</a> (<code>${one.symbol}</code>)`)}, whose token has the ticker ${tickerOf(symbol)} too.</p>`
  )
}

const tickerOf = (symbol: string): string => symbol.split(".")[0] ?? symbol
const byTicker = Map.groupBy(networks, ({ symbol }) => tickerOf(symbol))

const parent = "TAO"

/** A subnet's network, or the subnets of one. */
const family = ({ symbol }: Profile): Html | false => {
  const above = bySymbol.get(parent)
  if (isSubnet(symbol) && above !== undefined) {
    return html`<p>A subnet of <a href="${networkPath(parent)}">${above.name}</a>.</p>`
  }
  return (
    symbol === parent &&
    html`<section aria-labelledby="subnets"><h2 id="subnets">Subnets</h2><ul class="swarm">${subnetSymbols.map(
      (one) => html`<li><a href="${networkPath(one)}">${one}</a></li>`
    )}</ul></section>`
  )
}

const hero = (of: Profile, headline: ReadMetric, series: HistorySeries | undefined, now: number): Html => {
  const title = metricTitle(headline.metric)
  const whole = `${title} of ${nameOfSymbol(of.symbol)}`
  return html`<div class="hero">
<figure class="figure" data-metric="${headline.metric}" data-source="${headline.row.source}" data-title="${whole}"><figcaption><h2><a href="${metricPath(of.symbol, headline.metric)}">${title}</a></h2><span class="quiet">last ${days} days, one value per day</span></figcaption>
<div class="plot">${raw(
    bothSizes({
      id: "headline",
      title: whole,
      unit: headline.row.unit,
      points: series?.points ?? [],
      now,
      days
    })
  )}</div></figure>
<div><p class="quiet">${title}</p><p class="big">${valueOf(headline.row)}</p>
<p>${series?.change !== undefined && html`${changeSentence(series)}<br>`}${agedOf(headline.row.as_of, now)}${seenSentence(headline.agreement)}</p>
<p class="quiet">${formatTime(headline.row.as_of)}<br>${outward(headline.row.verify_url, "See it at the source")}</p>
${headline.row.held !== undefined && html`<p role="note">${heldWords(headline.row.held, headline.row.unit)}</p>`}${identity(of)}</div></div>`
}

const dataset = (of: Profile, series: SeriesByMetric, baseUrl: string): Html | false => {
  const { metrics, symbol } = of
  const all = Object.values(series)
  const firsts = all.map(({ first_date }) => first_date).sort()
  const lasts = all.map(({ last_date }) => last_date).sort()
  const [first, last] = [firsts[0], lasts.at(-1)]
  return (
    metrics.length > 0 &&
    datasetOf(
      {
        name: `${nameOfSymbol(symbol)} (${symbol})`,
        description: `${metrics.length} measured metrics of ${nameOfSymbol(symbol)}, one value per day, each with its source and its proof.`,
        path: networkPath(symbol),
        files: [
          { path: `/v1${networkPath(symbol)}`, type: "application/json" },
          { path: `/v1/history?network=${encodeURIComponent(symbol)}`, type: "application/json" }
        ],
        variables: metrics.map(({ metric, row }) => ({ name: metric, unit: row.unit })),
        days: first === undefined || last === undefined ? undefined : [first, last],
        basedOn: [...new Set(metrics.map(({ row }) => row.verify_url))].slice(0, 20)
      },
      baseUrl
    )
  )
}

/** What stands for the network: its headline, else the first of what is measured by a confirmed feed. */
export const headlineOf = ({ headline, metrics }: Profile): ReadMetric | undefined => {
  const confirmed = metrics.filter(({ row }) => isRowCounted(row))
  return (
    confirmed.find(({ metric }) => metric === headline) ??
    confirmed.find(({ tier }) => tier === "supply_telemetry" || tier === "physical") ??
    confirmed.find(({ metric }) => metric === "price_usd") ??
    confirmed[0]
  )
}

/** What somebody of the network can do. */
const yourNetwork = (operator: OperatorDetails, symbol: string, name: string): Html => {
  const mail = mailLink(operator, "Write to the operator", {
    subject: `${name} (${symbol}) could be measured`,
    lines: [
      "An address that anybody can read without a key:",
      "",
      "What its members count, and in which unit:",
      ""
    ]
  })
  return html`<p id="your-network"><strong>Your network?</strong> We need one address that answers without a key, and what its members count. ${mail ?? noAddress} Or write the collector yourself, which takes an hour:</p>
<pre><code>npx plumbline plugin new ${symbol.toLowerCase()} --from https://…</code></pre>`
}

/** The star of a network; outside of the catalog nothing else says what stands for a symbol, so the star is that figure's. */
const titleStar = ({ network, symbol }: Profile, main: ReadMetric | undefined): Html =>
  network === undefined && main !== undefined
    ? starButton({ symbol, metric: main.metric }, `${metricTitle(main.metric)} of ${nameOfSymbol(symbol)}`)
    : starButton({ symbol }, nameOfSymbol(symbol))

/** Says which figure does not stand for the network, and why. */
const missingHeadline = ({ metrics, symbol, unconfirmedHeadline: metric }: Profile): Html | false => {
  const row = metrics.find((one) => one.metric === metric)?.row
  return (
    metric !== undefined &&
    html`<p><a href="${metricPath(symbol, metric)}">${metricTitle(metric)}</a> does not stand for the network. ${row === undefined || row.by_definition === true ? definedWords(row ?? {}) : uncountedWords(row)}</p>`
  )
}

/** The terms of each source that gives a value of the page, in the order of the metrics. */
const termsBySource = ({ metrics }: Profile): ReadonlyMap<string, Terms> =>
  new Map(metrics.flatMap(({ row, terms }) => (terms === undefined ? [] : [[row.source, terms] as const])))

export const network = Effect.fn("explorer.network")(function* (named: string) {
  const now = yield* pageTime
  const of = yield* profile(named)
  const { metrics, symbol } = of
  const notCovered = of.notCovered === undefined ? undefined : withoutLater(of.notCovered, now)
  const { data } = yield* orProblem(history({ access: keyless, network: symbol, days }))
  const series = data[symbol] ?? {}
  const name = nameOfSymbol(symbol)
  const main = headlineOf(of)
  // A zero that nobody counted is shown, and is no measurement.
  const counted = metrics.filter(({ row }) => row.by_definition !== true)
  const tier = counted.some((one) => one.tier === "supply_telemetry" || one.tier === "physical")
    ? "first_party"
    : counted.length > 0
      ? "market_only"
      : "catalog_only"
  return yield* respondPage({
    title: `${name} (${symbol})`,
    description:
      main === undefined
        ? counted.length > 0
          ? `${name}: ${counted.length} measured metrics, none of them of a confirmed feed yet.`
          : `${name} is in the catalog, but nothing is measured: ${notCovered ?? "no feed covers it"}.`
        : `${name}: ${counted.length} measured metrics, led by ${metricWords(main.metric)}, each with source, age and proof.`,
    path: networkPath(symbol),
    picture: `${networkPath(symbol)}/picture.png`,
    head: dataset(of, series, (yield* HttpSettings).baseUrl),
    script: "network",
    body: html`<p class="trail">${of.network === undefined ? html`<a href="/world">World</a>` : html`<a href="/networks">Networks</a> / <a href="${categoryPath(of.network.category)}">${categoryTitle(of.network.category)}</a>`}</p>
<div class="title"><h1>${name}</h1><code>${symbol}</code><span class="quiet">${of.network === undefined ? "of the physical world" : telemetryWords[tier].long.toLowerCase()}</span>${titleStar(of, main)}</div>
${namesakes(of)}
${yield* introduction(of.network, main)}
${main === undefined ? identity(of) : hero(of, main, series[main.metric], now)}
${missingHeadline(of)}
${Tier.literals.map((one) => group(of, one, series, now))}
${rightsSection(termsBySource(of), now)}
${
  notCovered !== undefined &&
  html`<section aria-labelledby="missing"><h2 id="missing">Not covered</h2><p>No ${term("first-party")} telemetry: ${notCovered}.</p>
<p>Its supply metrics are therefore ${absent}. A source that anyone can read without a key is all that a collector needs.</p>
${yourNetwork(yield* Operator, symbol, name)}</section>`
}
${family(of)}`
  })
})
