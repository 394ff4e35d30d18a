/** The first page: the physical infrastructure of the world on the newest closed day, and what is measured of it now. */
import { Effect } from "effect"
import { kindOf } from "../../../core/catalog/kindOf.ts"
import { type Measure, measureNamed, measurePath } from "../../../core/catalog/Measures.ts"
import { newestClosedDay } from "../../../core/log/closedDays.ts"
import { type DayFacts, factsOfDay } from "../../../core/log/record/changesOfDay.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { Feeds, givesNothing } from "../../../core/readings/Feeds.ts"
import { coverageOf } from "../../../core/readings/read/coverage.ts"
import { measureDays, measured } from "../../../core/readings/read/measure.ts"
import { type Overview, overview } from "../../../core/readings/read/overview.ts"
import { ProvedSeries } from "../../../core/readings/read/ProvedSeries.ts"
import { placesOf } from "../../../core/readings/read/places.ts"
import { isRowCounted, valueRow } from "../../../core/readings/read/valueRow.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { changeBar, shareBar } from "../charts/changeBar.ts"
import { commonTop, multiple } from "../charts/multiples.ts"
import { proofsLine } from "../html/chainProofs.ts"
import { changeText } from "../html/change.ts"
import { daySentence } from "../html/daySentence.ts"
import { absent, categoryTitle, formatDay, formatNumber, metricWords, roughDollars } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { nameOfSymbol } from "../html/nameOfSymbol.ts"
import { roughly, roughText } from "../html/roughly.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { marksText, metricPath } from "../html/values.ts"
import { categoryPath } from "./category.ts"
import { dayFeedPath } from "./dayFeed.ts"
import { drawnMap, mappedOf, shadesOf } from "./map.ts"
import { memberChange } from "./measured.ts"
import { waitingNote } from "./waiting.ts"

/** The measures whose first member is a pulse: of each list the first that somebody states. */
const pulses: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]> = [
  ["nodes-online"],
  ["storage-proven"],
  ["gpu-supply"],
  ["gpu-price-h100"],
  ["satellites"],
  ["aircraft", "aircraft-military"]
]

/** Bars of what moved most, and entries of the other lists. */
const most = { moves: 8, named: 6 } as const

const registered = (name: string) => {
  const measure = measureNamed(name)
  return measure === undefined
    ? Effect.die(new Error(`no measure is called ${name}`))
    : Effect.succeed(measure)
}

/** Which of the members a pulse is: of unlike things only that it is one. */
const placeWords = ({ best, ranks }: Measure, n: number): string =>
  n === 1
    ? "nobody else states it"
    : `${ranks ? (best === "most" ? "the most" : "the least") : "one"} of ${formatNumber(n)} that state it`

const pulse = Effect.fnUntraced(function* ([name, ...others]: (typeof pulses)[number], now: number) {
  const ofName = Effect.fnUntraced(function* (one: string) {
    return yield* orProblem(measured(yield* registered(one)))
  })
  const main = yield* ofName(name)
  const all = [main, ...(yield* Effect.forEach(others, ofName))]
  const { measure, members } = all.find((one) => one.members.length > 0) ?? main
  const [first] = members
  const title = html`<h3><a href="${measurePath(measure)}">${measure.title}</a></h3>`
  if (first === undefined)
    return html`<article data-pulse="${name}">${title}<p class="big">${absent}</p><p class="quiet">Not seen: no value of the last 7 days that counts.</p></article>`
  const { metric } = first.row.row
  const path = metricPath(first.symbol, metric)
  const row = valueRow(first.row)
  const label = `${nameOfSymbol(first.symbol)}: ${first.points.length} of ${measureDays} days have a value`
  return html`<article data-pulse="${name}">${title}<p class="big"><a class="plain" href="${path}">${roughly(row)}</a></p>
${raw(multiple({ points: first.points, top: commonTop([first.points]), now, days: measureDays, label }))}
<p class="quiet">${nameOfSymbol(first.symbol)}, ${first.change === undefined ? "no earlier day" : `${memberChange(first)} since ${formatDay(first.change.from.date)}`}${marksText(row).map((mark) => html` · ${mark}`)} · <a href="${path}#proof">proof<span class="visually-hidden"> of ${measure.title}</span></a> · ${placeWords(measure, members.length)}</p></article>`
})

/** Of each symbol its largest move, since several figures of one network often move together: the first few, the rises first. */
export const largestOfSymbols = (moves: DayFacts["moves"]): DayFacts["moves"] => {
  const bySymbol = new Map(moves.toReversed().map((move) => [move.symbol, move]))
  return moves
    .filter((move) => bySymbol.get(move.symbol) === move)
    .slice(0, most.moves)
    .toSorted((a, b) => b.change.relative - a.change.relative)
}

const movedMost = ({ moves }: DayFacts): Html => {
  const shares = largestOfSymbols(moves)
  const largest = Math.max(...shares.map(({ change }) => Math.abs(change.relative)))
  return shares.length === 0
    ? html`<p>No headline figure moved.</p>`
    : html`<table class="moved"><thead class="visually-hidden"><tr><th scope="col">Figure</th><th scope="col">Day before and this day</th><th scope="col">Bar</th><th scope="col">Change</th></tr></thead><tbody>${shares.map(
        ({ change, metric, symbol, unit }) =>
          html`<tr data-move="${symbol}"><th scope="row"><a href="${metricPath(symbol, metric)}">${nameOfSymbol(symbol)}</a> <span class="sub">${metricWords(metric)}</span></th><td class="n between">${roughText(change.from.value, unit)} → ${roughText(change.to.value, unit)}</td><td class="bar-cell">${raw(changeBar(change.relative / largest))}</td><td class="n">${changeText({ change, unit })}</td></tr>`
      )}</tbody></table>`
}

export interface Sector {
  readonly category: Category
  readonly measured: number
  readonly listed: number
  /** Market cap of the tokens that count; undefined where none does. */
  readonly value: number | undefined
}

/** The categories that have a network, those with the most measured ones first. */
export const sectorsOf = (all: ReadonlyArray<Overview>): ReadonlyArray<Sector> => {
  const byCategory = Map.groupBy(
    all.filter(({ row }) => kindOf(row) === "network"),
    ({ row }) => row.category
  )
  return Category.literals
    .flatMap((category): ReadonlyArray<Sector> => {
      const entries = byCategory.get(category) ?? []
      const values = entries
        .flatMap(({ figures }) => figures?.row("market_cap_usd") ?? [])
        .filter(isRowCounted)
      return entries.length === 0
        ? []
        : [
            {
              category,
              measured: entries.filter(({ row }) => row.telemetry_tier === "first_party").length,
              listed: entries.length,
              value: values.length === 0 ? undefined : values.reduce((sum, { value }) => sum + value, 0)
            }
          ]
    })
    .toSorted((a, b) => b.measured - a.measured || (b.value ?? 0) - (a.value ?? 0))
}

const bySector = (sectors: ReadonlyArray<Sector>): Html => {
  const largest = Math.max(1, ...sectors.map((sector) => sector.measured))
  return html`<table class="moved"><thead class="visually-hidden"><tr><th scope="col">Sector</th><th scope="col">Measured of listed</th><th scope="col">Bar</th><th scope="col">Market cap</th></tr></thead><tbody>${sectors.map(
    ({ category, listed, measured, value }) =>
      html`<tr><th scope="row"><a href="${categoryPath(category)}">${categoryTitle(category)}</a></th><td class="n between">${formatNumber(measured)} of ${formatNumber(listed)} measured</td><td class="bar-cell">${raw(shareBar(measured / largest))}</td><td class="n">${value === undefined ? absent : roughDollars(value)}</td></tr>`
  )}</tbody></table>`
}

/** How feeds stand that should deliver: the titles of those that do not, and how many have not started yet. */
const feedsNow = Effect.gen(function* () {
  const { manifests, states } = yield* Feeds
  const current = yield* states
  const stateOf = ({ id }: (typeof manifests)[number]) => current.get(id)?.state
  return {
    silent: manifests
      .filter((manifest) => {
        const state = stateOf(manifest)
        return state !== undefined && givesNothing(state)
      })
      .map(({ title }) => title),
    unstarted: manifests.filter((manifest) => stateOf(manifest) === undefined).length
  }
})

const feedsText = ({ silent, unstarted }: Effect.Success<typeof feedsNow>): Html =>
  html`${
    silent.length > 0 &&
    html`${formatNumber(silent.length)} ${silent.length === 1 ? "feed does" : "feeds do"} not deliver now: ${listText(silent)}. <a href="/status">Why</a>.`
  }${
    unstarted > 0 &&
    html` ${formatNumber(unstarted)} ${unstarted === 1 ? "feed has" : "feeds have"} not started yet.`
  }${silent.length + unstarted === 0 && "Every feed that should deliver does."}`

const listText = (names: ReadonlyArray<string>): string =>
  names.length > most.named
    ? `${names.slice(0, most.named).join(", ")} and ${formatNumber(names.length - most.named)} more`
    : names.join(", ")

const correctedText = ({ corrected, date }: DayFacts): Html =>
  corrected === 0
    ? html`No published value was changed that day. <a href="/log/revisions">All revisions</a>.`
    : html`<a href="/changes/${date}#revised">${formatNumber(corrected)} published ${corrected === 1 ? "value was" : "values were"} changed</a>; both stay in the log.`

const nothingYet = html`<p class="lede">No day is closed yet. The first is closed at 08:00 UTC on the day after it began.</p>`

export const today = Effect.fn("explorer.today")(function* () {
  const now = yield* pageTime
  const date = yield* orProblem(newestClosedDay)
  const facts = yield* orProblem(factsOfDay(date))
  const places = yield* orProblem(placesOf(facts === undefined ? undefined : date))
  const entries = yield* overview()
  const counts = coverageOf(entries.map(({ row }) => row))
  const feeds = yield* feedsNow
  const proofs = yield* (yield* ProvedSeries).byFeed
  const lines = yield* Effect.forEach(pulses, (names) => pulse(names, now))
  const map = places && mappedOf(places, undefined)
  return yield* respondPage({
    title: "the physical internet today",
    description: `What ${counts.ownTelemetry} decentralized infrastructure networks and the physical world measured yesterday, each value with its source and its proof.`,
    path: "/",
    picture: "/picture.png",
    script: "page",
    body: html`${
      facts === undefined
        ? html`<h1>The physical internet today</h1>${nothingYet}`
        : html`<h1 class="sentence-of-day">${daySentence(facts)}</h1>
<p class="quiet"><a href="/changes">${formatDay(date)}</a>, closed and sealed · written by rules; each figure leads to its page</p>`
    }${proofsLine(proofs)}
<div class="today">${map !== undefined && map.values.length > 0 && html`<figure class="figure"><a href="/map" class="map-link" aria-label="${map.title}: the table and the days">${raw(drawnMap(map))}</a>${shadesOf(map)}<p class="quiet">${map.summary}<br><a href="/map">The table, each network, any day</a></p></figure>`}
<section class="pulse-section" aria-labelledby="pulse"><h2 id="pulse">Pulse</h2><div class="multiples pulses">${lines}</div></section>
<div class="beside">${facts !== undefined && html`<section aria-labelledby="corrected"><h2 id="corrected">Corrected</h2><p>${correctedText(facts)}</p></section>`}
<section aria-labelledby="not-seen"><h2 id="not-seen">Not seen</h2>
<p>${feedsText(feeds)}</p>
<p>${formatNumber(counts.listed)} networks are listed and not measured. <a href="/coverage">What the counts mean</a>.</p></section>
<section aria-labelledby="morning"><h2 id="morning">Every morning</h2><p>Yesterday in five lines, as <a href="${dayFeedPath}">an Atom feed</a>; or a message when a figure that you choose crosses a line: <a href="/watchlist">watchlist and alerts</a>.</p></section></div></div>
<div class="columns">${facts !== undefined && html`<section aria-labelledby="moved"><h2 id="moved">Moved most</h2>${movedMost(facts)}<p><a href="/changes">All that changed on ${formatDay(date)}</a></p></section>`}
<section aria-labelledby="sectors"><h2 id="sectors">By sector</h2>${bySector(sectorsOf(entries))}<p><a href="/networks">All networks as a list</a> · <a href="/measures">All measures</a></p></section></div>${yield* waitingNote()}`
  })
})
