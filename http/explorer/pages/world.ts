/** The physical world: every gauge with its parts, its method and its days, and the sectors behind them. */
import { Effect } from "effect"
import { metricNamed } from "../../../core/plugin/Manifest.ts"
import { Feeds } from "../../../core/readings/Feeds.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { history } from "../../../core/readings/read/history.ts"
import { world as worldOf } from "../../../core/readings/read/world.ts"
import type { HistorySeries } from "../../../core/wire/data/history.ts"
import type { Gauge, WorldResponse } from "../../../core/wire/data/world.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { lineChart } from "../charts/lineChart.ts"
import { changeWords } from "../html/change.ts"
import { coded } from "../html/coded.ts"
import { absent, formatDay, formatNumber, formatTime, metricTitle, sectorTitle } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { sourceWords } from "../html/sourceWords.ts"
import { agedOf, ageOf, metricPath, networkPath, outward, valueOf } from "../html/values.ts"
import { wideTable } from "../html/wideTable.ts"
import { waitingNote } from "./waiting.ts"

const days = 30

interface GaugeSeries {
  readonly name: string
  readonly gauge: Gauge
  readonly series: HistorySeries | undefined
}

const parts = ({ parts: all = {} }: Gauge, name: string, unit: Gauge["unit"], now: number): Html | false => {
  const rows = Object.entries(all)
  return (
    rows.length > 0 &&
    html`<details><summary>${rows.length} ${rows.length === 1 ? "part" : "parts"}</summary>${wideTable(
      `Parts of ${metricTitle(name)}`,
      html`<table><thead><tr><th scope="col">Part</th><th scope="col" class="n">Value</th><th scope="col" class="n">Age</th><th scope="col">Source</th></tr></thead>
<tbody>${rows.map(
        ([symbol, part]) =>
          html`<tr><th scope="row"><a href="${metricPath(symbol, name)}">${sectorTitle(symbol)}</a></th><td class="n">${valueOf({ value: part.value, unit })}</td><td class="n">${ageOf(part.as_of, now)}</td><td>${outward(part.verify_url, sourceWords(part.source))}</td></tr>`
      )}</tbody></table>`
    )}</details>`
  )
}

const panel = ({ gauge, name, series }: GaugeSeries, now: number): Html => {
  const title = metricTitle(name)
  const { as_of, first_day, method, simulated, source, symbol, unit, verify_url } = gauge
  return html`<article class="gauge" aria-labelledby="g-${name}"><h3 id="g-${name}"><a href="${metricPath(symbol, name)}">${title}</a></h3>
<p class="big">${valueOf({ value: gauge.value, unit })}</p>
<p class="quiet">${agedOf(as_of, now)} · ${(series === undefined ? undefined : changeWords(series)) ?? `${series?.n_points ?? 0} ${series?.n_points === 1 ? "day" : "days"} so far`}${simulated === true && html` · <strong>simulated</strong>`}</p>
<div class="plot">${raw(
    lineChart({
      id: `chart-${name}`,
      title: `${title}, last ${days} days`,
      unit,
      points: series?.points ?? [],
      now,
      days,
      // A gauge is as narrow on a large screen as on a phone, so one size serves both.
      width: 400,
      height: 200
    })
  )}</div>
<p>${coded(method)}${first_day !== undefined && ` Counted since ${formatDay(first_day)}.`}</p>
<p class="quiet">${outward(verify_url, sourceWords(source))} · ${formatTime(as_of)}</p>
${parts(gauge, name, unit, now)}</article>`
}

/** Gauges that the collectors name, without a reading in the last hours. */
const silent = Effect.fnUntraced(function* ({ gauges, missing_gauges = {} }: WorldResponse) {
  const { manifests, states } = yield* Feeds
  const feedStates = yield* states
  return manifests.flatMap(({ covers, disabled, id, metrics }) =>
    "sector" in covers
      ? (covers.gauges ?? [])
          .filter((name) => gauges[name] === undefined)
          .map((name) => ({
            name,
            sector: covers.sector,
            symbol: covers.symbols[0] ?? covers.sector,
            meaning: metricNamed(metrics, name)?.meaning ?? "",
            why:
              missing_gauges[name] ??
              feedStates.get(id)?.reason ??
              disabled ??
              "no reading in the last 6 hours"
          }))
      : []
  )
})

export const world = Effect.fn("explorer.world")(function* () {
  const now = yield* pageTime
  const { baseUrl } = yield* HttpSettings
  const { symbols: bySector } = yield* sectorSymbols
  const ofSectors = new Set([...bySector.values()].flat())
  const read = yield* worldOf({ baseUrl })
  const gaugeSeries = yield* Effect.forEach(Object.entries(read.gauges), ([name, gauge]) =>
    gauge === undefined
      ? Effect.succeed([])
      : Effect.map(
          orProblem(
            history({ access: keyless, network: gauge.symbol, metric: name, source: gauge.source, days })
          ),
          ({ data }): ReadonlyArray<GaugeSeries> => [{ name, gauge, series: data[gauge.symbol]?.[name] }]
        )
  )
  const gauges = gaugeSeries.flat()
  const missing = yield* silent(read)
  const live = read.sectors.filter(({ live_24h }) => live_24h)
  return yield* respondPage({
    title: "The physical world",
    description: `${gauges.length} gauges of the physical world, from ${live.length} live sectors: each with its method, its parts, its days and its source.`,
    path: "/world",
    picture: "/world/picture.png",
    script: "page",
    body: html`<h1>The physical world, measured</h1>
<dl class="strip"><div><dt>Sectors live</dt><dd>${live.length}<small>of ${read.sectors.length}, a row in 24 hours</small></dd></div>
<div><dt>Gauges</dt><dd>${gauges.length}<small>read in the last 6 hours</small></dd></div>
<div><dt>Rows</dt><dd>${read.estate.rows_ingested_24h === 0 && live.length > 0 ? html`${absent}<small>being counted</small>` : html`${formatNumber(read.estate.rows_ingested_24h)}<small>in the last 24 hours</small>`}</dd></div>
<div><dt>Rows since the beginning</dt><dd>${formatNumber(read.estate.rows_total)}</dd></div>
<div><dt>Last read</dt><dd>${read.measured_utc === null ? "never" : html`${agedOf(read.measured_utc, now)}<small>${formatTime(read.measured_utc)}</small>`}</dd></div></dl>
${yield* waitingNote((symbol) => ofSectors.has(symbol))}<section aria-labelledby="gauges"><h2 id="gauges">Gauges</h2>
${gauges.length === 0 ? html`<p>No gauge was read in the last 6 hours.</p>` : html`<div class="gauges">${gauges.map((one) => panel(one, now))}</div>`}
${
  missing.length > 0 &&
  html`<h3>Without a reading now</h3><p class="quiet">A gauge that was not read in the last 6 hours is not shown, rather than an old value or 0.</p>
<ul class="plain">${missing.map(({ meaning, name, why }) => html`<li><strong>${metricTitle(name)}</strong> <span class="quiet">${meaning}</span><span class="sub">${coded(why)}</span></li>`)}</ul>`
}</section>
<section aria-labelledby="sectors"><h2 id="sectors">Sectors</h2>
${wideTable(
  "Table of the sectors",
  html`<table><thead><tr><th scope="col">Sector</th><th scope="col">State</th><th scope="col" class="n">Symbols in 24 h</th><th scope="col" class="hide-narrow">Symbols</th></tr></thead>
<tbody>${read.sectors.map(
    ({ live_24h, sector, series_24h }) =>
      html`<tr><th scope="row">${sectorTitle(sector)}</th><td>${state(live_24h, bySector.has(sector))}</td><td class="n">${series_24h}</td><td class="hide-narrow">${(bySector.get(sector) ?? []).slice(0, 6).map((symbol, n) => html`${n > 0 && ", "}<a href="${networkPath(symbol)}">${sectorTitle(symbol)}</a>`)}${(bySector.get(sector)?.length ?? 0) > 6 && html` <span class="quiet">and ${(bySector.get(sector)?.length ?? 0) - 6} more</span>`}</td></tr>`
  )}</tbody></table>`
)}</section>
<section aria-labelledby="words"><h2 id="words">What the words mean</h2><dl class="facts">${Object.entries(read.definitions).map(([word, meaning]) => html`<dt>${metricTitle(word)}</dt><dd>${coded(meaning)}</dd>`)}</dl>
<p>For programs: <a href="/v1/world">/v1/world</a>.</p></section>`
  })
})

const state = (live: boolean, covered: boolean): Html =>
  live
    ? html`<span class="mark ok">live</span>`
    : covered
      ? html`<span class="mark bad">no row in 24 hours</span>`
      : html`<span class="mark off">no collector yet</span>`

/** The symbols of each sector that has a collector. */
const sectorSymbols = Effect.map(Feeds, ({ manifests }) => ({
  symbols: new Map<string, ReadonlyArray<string>>(
    [
      ...Map.groupBy(
        manifests.flatMap(({ covers }) =>
          "sector" in covers ? covers.symbols.map((symbol) => [covers.sector, symbol] as const) : []
        ),
        ([sector]) => sector
      )
    ].map(([sector, all]) => [sector, [...new Set(all.map(([, symbol]) => symbol))]])
  )
}))
