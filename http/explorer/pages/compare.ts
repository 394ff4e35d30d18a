/** Up to six series of any networks beside each other: as indexes, or as they were measured. */
import { Effect } from "effect"
import { isSubnet } from "../../../core/catalog/kindOf.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { history } from "../../../core/readings/read/history.ts"
import { type Profile, profile, type ReadMetric } from "../../../core/readings/read/profile.ts"
import { symbols } from "../../../core/readings/read/symbols.ts"
import type { HistorySeries } from "../../../core/wire/data/history.ts"
import type { UnknownSymbol } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import {
  bothCompared,
  type ComparedLine,
  chartsOf,
  commonDay,
  indexed,
  type Letter,
  letters,
  signOf
} from "../charts/compareChart.ts"
import { queryText } from "../html/addresses.ts"
import { changeCell, changeHead, changeLabel, commonSpan } from "../html/change.ts"
import { absent, categoryTitle, formatDay, formatIndex, metricTitle, valueText } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { scriptJson } from "../html/scriptJson.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { marksText, metricPath, networkPath, valueOf } from "../html/values.ts"
import { wideTable } from "../html/wideTable.ts"
import { headlineOf } from "./network.ts"

/** `a` to `f` are series as `FIL/active_storage_providers`; a network alone stands for its headline. */
export type CompareQuery = Readonly<Partial<Record<Letter | "by" | "days", string | undefined>>>

const windows = [7, 30] as const

const paramsOf = (query: CompareQuery) => ({
  picks: letters.flatMap((letter) => {
    const text = (query[letter] ?? "").trim().slice(0, 120)
    return text === "" ? [] : [{ letter, text }]
  }),
  by: query.by === "value" ? ("value" as const) : ("index" as const),
  days: windows.find((one) => String(one) === query.days) ?? 30
})
type CompareParams = ReturnType<typeof paramsOf>

export interface Match {
  readonly letter: Letter
  readonly text: string
  readonly of: Profile
  readonly read: ReadMetric
  readonly series: HistorySeries | undefined
}

interface NoMatch {
  readonly letter: Letter
  readonly text: string
  readonly why: string
  /** What was perhaps meant, as texts for the field. */
  readonly near: ReadonlyArray<string>
}

const isMatch = (one: Match | NoMatch): one is Match => "of" in one

const closeTo = (word: string, of: Profile): ReadonlyArray<string> => {
  const parts = word.toLowerCase().split(/[\s_]+/)
  return of.metrics
    .filter(({ metric }) => parts.some((part) => part.length > 2 && metric.toLowerCase().includes(part)))
    .slice(0, 5)
    .map(({ metric }) => `${of.symbol}/${metric}`)
}

const find = Effect.fnUntraced(
  function* (letter: Letter, text: string, days: number) {
    const [, named = "", metric = ""] = /^([^/:]*)[/:]?(.*)$/.exec(text) ?? []
    const of = yield* profile(named.trim())
    const word = metric.trim()
    const read = word === "" ? headlineOf(of) : of.metrics.find((one) => one.metric === word)
    if (read === undefined) {
      const name = of.network?.name ?? of.symbol
      const why =
        word === "" ? `Nothing is measured of ${name}.` : `${word.slice(0, 60)} is not measured of ${name}.`
      return { letter, text, why, near: closeTo(word, of) } satisfies NoMatch
    }
    const { data } = yield* orProblem(
      history({
        access: keyless,
        network: of.symbol,
        metric: read.metric,
        source: read.row.source,
        days
      })
    )
    return { letter, text, of, read, series: data[of.symbol]?.[read.metric] } satisfies Match
  },
  (effect, letter, text) =>
    Effect.catchTag(effect, "UnknownSymbol", ({ did_you_mean = [] }: UnknownSymbol) =>
      Effect.succeed<NoMatch>({ letter, text, why: "No network has this name.", near: did_you_mean })
    )
)

/** What a query asks for, with what is known of it. */
export const compared = Effect.fn("explorer.compared")(function* (query: CompareQuery) {
  const params = paramsOf(query)
  const all: ReadonlyArray<Match | NoMatch> = yield* Effect.forEach(params.picks, ({ letter, text }) =>
    find(letter, text, params.days)
  )
  return { params, all, matches: all.filter(isMatch), now: yield* pageTime }
})

const nameOf = ({ of, read }: Match): string =>
  `${of.network?.name ?? of.symbol}, ${metricTitle(read.metric)}`

/** What differs between the series: their networks, else their metrics, else the whole name. */
const labelsOf = (matches: ReadonlyArray<Match>): ReadonlyArray<string> => {
  const ways = [
    ({ of }: Match) => of.network?.name ?? of.symbol,
    ({ read }: Match) => metricTitle(read.metric),
    nameOf
  ].map((labelOf) => matches.map(labelOf))
  return ways.find((labels) => new Set(labels).size === matches.length) ?? matches.map(nameOf)
}

export const linesOf = (matches: ReadonlyArray<Match>): ReadonlyArray<ComparedLine> => {
  const labels = labelsOf(matches)
  return matches.map((one, n) => ({
    letter: one.letter,
    name: nameOf(one),
    label: labels[n] ?? "",
    unit: one.read.row.unit,
    points: one.series?.points ?? []
  }))
}

const targetOf = ({ of, read }: Match): string => `${of.symbol}/${read.metric}`

const addressOf = (
  params: Pick<CompareParams, "by" | "days">,
  items: ReadonlyArray<{ readonly letter: Letter; readonly text: string }>,
  path = "/compare"
): string => {
  const parameters = items.map(({ letter, text }) => [letter, text] as const)
  return `${path}?${queryText([...parameters, ["by", params.by], ["days", String(params.days)]])}`
}

/** The address that anyone can share: with the names as the service knows them. */
export const sharedOf = (params: CompareParams, all: ReadonlyArray<Match | NoMatch>, path?: string): string =>
  addressOf(
    params,
    all.map((one) => ({ letter: one.letter, text: isMatch(one) ? targetOf(one) : one.text })),
    path
  )

const fields = (params: CompareParams, all: ReadonlyArray<Match | NoMatch>): Html => {
  const field = (letter: Letter): Html => {
    const one = all.find((each) => each.letter === letter)
    const value = one === undefined ? "" : isMatch(one) ? targetOf(one) : one.text
    const wrong = one !== undefined && !isMatch(one) ? one : undefined
    return html`<div class="pick"><label for="pick-${letter}">${raw(signOf(letter))} <span class="visually-hidden">Series </span>${letter.toUpperCase()}</label><input id="pick-${letter}" name="${letter}" value="${value}" placeholder="${letter === "a" ? "FIL or FIL/active_storage_providers" : ""}" maxlength="120" autocomplete="off" spellcheck="false" list="targets"${
      wrong === undefined ? "" : raw(` aria-invalid="true" aria-describedby="pick-${letter}-why"`)
    }>${
      wrong !== undefined &&
      html`<p class="wrong" id="pick-${letter}-why">${wrong.why}${
        wrong.near.length > 0 &&
        html` Did you mean ${wrong.near.map(
          (near, n) =>
            html`${n > 0 && ", "}<a href="${addressOf(
              params,
              all.map((each) => ({
                letter: each.letter,
                text: each === wrong ? near : isMatch(each) ? targetOf(each) : each.text
              }))
            )}">${near}</a>`
        )}?`
      }</p>`
    }</div>`
  }
  const option = (value: string | number, text: string, chosen: boolean): Html =>
    html`<option value="${value}"${chosen ? raw(" selected") : ""}>${text}</option>`
  return html`<form class="compare-form" action="/compare" method="get">
<div class="picks">${letters.map(field)}</div><datalist id="targets"></datalist>
<div class="filters"><label>Show<select name="by">${option("index", "Index, first common day = 100", params.by === "index")}${option("value", "Values as measured", params.by === "value")}</select></label>
<label>Days<select name="days">${windows.map((one) => option(one, `${one} days`, params.days === one))}</select></label>
<button type="submit">Compare</button><span class="quiet hint">A network's symbol or name stands for its headline metric.</span></div></form>`
}

/** General chains and exchanges are there to compare with, not to begin with. */
const isReference = (category: string) => category === "reference"

/** Networks of one category with telemetry of their own, as comparisons to begin with. */
const examples = Effect.gen(function* () {
  const { symbols: all } = yield* symbols()
  const measured = all.filter(
    ({ headline, symbol, telemetry_tier }) =>
      telemetry_tier === "first_party" && headline !== undefined && !isSubnet(symbol)
  )
  return [...Map.groupBy(measured, ({ category }) => category)]
    .filter(([, of]) => of.length > 1)
    .toSorted(
      ([one, a], [other, b]) => Number(isReference(one)) - Number(isReference(other)) || b.length - a.length
    )
    .slice(0, 8)
    .map(([category, of]) => ({
      category,
      names: of.slice(0, 4).map(({ name }) => name),
      items: of
        .slice(0, 4)
        .flatMap(({ headline, symbol }, n) =>
          letters[n] === undefined ? [] : [{ letter: letters[n], text: `${symbol}/${headline ?? ""}` }]
        )
    }))
})

const empty = Effect.map(
  examples,
  (some) => html`<section aria-labelledby="begin"><h2 id="begin">Begin with</h2>
${
  some.length === 0
    ? html`<p class="quiet">Nothing is measured yet.</p>`
    : html`<ul class="plain">${some.map(
        ({ category, items, names }) =>
          html`<li><a href="${addressOf({ by: "index", days: 30 }, items)}">${names.join(", ")}</a> <span class="quiet">${categoryTitle(category)}</span></li>`
      )}</ul>`
}</section>`
)

const summary = (matches: ReadonlyArray<Match>, days: number): Html => {
  const span = commonSpan(matches.map(({ series }) => series))
  return html`<table class="cards compared" role="table" aria-label="Compared series">
<thead role="rowgroup"><tr role="row"><th scope="col" role="columnheader">Series</th><th scope="col" role="columnheader" class="n">Latest value</th><th scope="col" role="columnheader" class="n">${changeHead(span)}</th><th scope="col" role="columnheader">Source</th><th scope="col" role="columnheader">JSON</th></tr></thead>
<tbody role="rowgroup">${matches.map((one) => {
    const { letter, of, read, series } = one
    const query = new URLSearchParams({
      network: of.symbol,
      metric: read.metric,
      source: read.row.source,
      days: String(days)
    })
    return html`<tr role="row"><th scope="row" role="rowheader">${raw(signOf(letter))} <strong>${letter.toUpperCase()}</strong> <a href="${metricPath(of.symbol, read.metric)}">${metricTitle(read.metric)}</a><span class="sub"><a href="${networkPath(of.symbol)}">${of.network?.name ?? of.symbol}</a></span></th>
<td role="cell" class="n"><span class="value">${valueOf(read.row)}</span></td><td role="cell" class="n label" data-label="${changeLabel(series)}">${changeCell(series, span)}</td>
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

/** What the charts show, in a sentence. */
export const caption = (
  matches: ReadonlyArray<Match>,
  { by, days }: CompareParams,
  charts: number
): string => {
  if (by === "value") {
    return charts > 1
      ? `${days} days as measured, in ${charts} charts: one for each unit and order of magnitude.`
      : `${days} days as measured.`
  }
  const day = commonDay(linesOf(matches))
  return day === undefined
    ? "Each series is 100 on its own first day: no day has a reading of all."
    : `Each series is 100 on ${formatDay(day)}, the first day that all of them have.`
}

export const compare = Effect.fn("explorer.compare")(function* (query: CompareQuery) {
  const { all, params, matches, now } = yield* compared(query)
  const lines = linesOf(matches)
  const plotted = params.by === "index" ? indexed(lines) : lines
  const names = matches.map(nameOf)
  const charts = chartsOf(lines, { by: params.by, now, days: params.days })
  const flat = plotted.filter(({ points }, n) => points.length === 0 && (lines[n]?.points.length ?? 0) > 0)
  return yield* respondPage({
    title: names.length === 0 ? "Compare networks" : `Compare: ${names.join("; ")}`,
    description:
      names.length === 0
        ? "Up to six daily series of any networks beside each other, as indexes or as measured, with their sources."
        : `${names.join("; ")}: ${params.days} days beside each other, each value with its source and its proof.`,
    path: all.length === 0 ? "/compare" : sharedOf(params, all),
    script: "compare",
    body: html`<h1>Compare</h1>
<p class="lede">Up to six series of any networks beside each other. The address of this page holds the choice, so it can be shared and cited.</p>
${fields(params, all)}
${
  matches.length === 0
    ? yield* empty
    : html`<figure class="figure compare-figure" id="compare" data-by="${params.by}" data-days="${params.days}" data-now="${now}">
<figcaption><span class="readout" role="status">${caption(matches, params, charts.length)}</span></figcaption>
<div class="plots">${charts.map((chart) => html`<div class="plot">${raw(bothCompared(chart))}</div>`)}</div>
<script type="application/json" id="compare-data">${raw(scriptJson(matches.map((one, n) => ({ ...lines[n], symbol: one.of.symbol, metric: one.read.metric, source: one.read.row.source }))))}</script></figure>
${flat.length > 0 && html`<p>${flat.map(({ name }) => name).join("; ")}: 0 on the first day, so there is no index. <a href="${sharedOf({ ...params, by: "value" }, all)}">Show the values</a>.</p>`}
${summary(matches, params.days)}
<div class="actions"><a class="button" href="${sharedOf(params, all, "/compare/data.csv")}">CSV</a><a class="button" href="${sharedOf(params, all, "/compare/chart.svg")}" download="plumbline-compare.svg">SVG</a><a class="button" href="${sharedOf(params, all, "/compare/chart.png")}" download="plumbline-compare.png">PNG</a></div>
<section aria-labelledby="longer"><h2 id="longer">Longer windows</h2><p>Anyone can read 30 days. A key reaches further; it stays in this tab and is sent only to this site. <a href="/products#tiers">How far each tier reaches</a>.</p>
<form id="more" class="filters needs-script"><label>API key<input name="key" type="password" autocomplete="off" spellcheck="false"></label>
<label>Days<select name="days"><option>90</option><option>180</option><option>365</option><option value="3650">all</option></select></label><button type="submit">Load</button><span class="readout" role="status"></span></form>
<noscript><p>This needs a script. Without one, each series is a request: <code>curl -H 'X-API-Key: …' '${(yield* HttpSettings).baseUrl}/v1/history?network=…&amp;metric=…&amp;days=90'</code></p></noscript></section>
<section aria-labelledby="each"><h2 id="each">Each day</h2>${dayTable(plotted, params.by === "index")}</section>`
}`
  })
})
