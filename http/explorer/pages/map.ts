/**
 * Maps of one closed day: in how many networks a country appears, or the nodes of one network; as it counts now, or as it was known
 * on an earlier day; with frame and picture.
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { symbolOf } from "../../../core/catalog/lookup.ts"
import { isoTime } from "../../../core/plugin/Value.ts"
import { bulk } from "../../../core/readings/read/bulk.ts"
import { type Places, type PlacesOfDay, placesOf } from "../../../core/readings/read/places.ts"
import { NotFound } from "../../../core/wire/problems/request.ts"
import { HttpSettings } from "../../HttpSettings.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { Painter } from "../charts/Painter.ts"
import { chartSize, pictureSvg, withheldWords } from "../charts/picture.ts"
import { boundsOf, mapSize, shadeOf, worldMap } from "../charts/worldMap.ts"
import { formatDay, formatNumber, formatTime } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { queryText } from "../html/queryText.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { sourceWords } from "../html/sourceWords.ts"
import { type KnownNote, knownField, knownLine, knownNote, yesterdayOf } from "../html/timeMachine.ts"
import { metricPath, networkPath, outward } from "../html/values.ts"
import { wideTable } from "../html/wideTable.ts"
import { endOfPast } from "./asKnown.ts"
import { framed } from "./framed.ts"

export interface MapQuery {
  /** A symbol; the networks that state their places without it. */
  readonly network?: string | undefined
  /** A closed day; the newest without it. */
  readonly date?: string | undefined
  /** `YYYY-MM-DD`: the map is as it was known at the end of that day. */
  readonly as_known_at?: string | undefined
}

const regions = new Intl.DisplayNames("en", { type: "region" })

/** The English name of a country by its letters. */
export const countryName = (code: string): string => regions.of(code) ?? code

export const mapPath = ({ as_known_at, date, network }: MapQuery, path = "/map"): string => {
  const text = queryText(
    Object.entries({ network, date, as_known_at }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const]
    )
  )
  return text === "" ? path : `${path}?${text}`
}

/** A country of which something else counts now; undefined: it was not, or is not, on the map. */
interface ChangedCountry {
  readonly code: string
  readonly before: number | undefined
  readonly after: number | undefined
}

/** A map as it was known at the end of a day. */
interface KnownThen {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly changed: ReadonlyArray<ChangedCountry>
}

/** What a map is of: a day, and one of its networks or all. */
interface Mapped {
  readonly day: PlacesOfDay
  readonly one: Places | undefined
  readonly title: string
  readonly summary: string
  /** By letters, the most first. */
  readonly values: ReadonlyArray<readonly [code: string, value: number]>
  /** Undefined of a map that is as it counts now. */
  readonly asKnown?: KnownThen
}

const ordered = (values: ReadonlyMap<string, number>): Mapped["values"] =>
  [...values].toSorted(([a, x], [b, y]) => y - x || (countryName(a) < countryName(b) ? -1 : 1))

const countries = (n: number): string => `${formatNumber(n)} ${n === 1 ? "country" : "countries"}`
const networks = (n: number): string => `${formatNumber(n)} ${n === 1 ? "network" : "networks"}`

/** The map of a day that is read; `one` is of its networks. */
export const mappedOf = (day: PlacesOfDay, one: Places | undefined): Mapped => {
  const values = ordered(one?.nodes ?? day.present)
  const [[top, most] = ["", 0]] = values
  const on = formatDay(day.date)
  return one === undefined
    ? {
        day,
        one,
        values,
        title: "Networks by country",
        summary:
          values.length === 0
            ? `No network stated the countries of its nodes on ${on}.`
            : `${networks(day.networks.length)} stated the countries of their nodes on ${on}: ${countries(values.length)}. ${countryName(top)} appears in ${formatNumber(most)} of them.`
      }
    : {
        day,
        one,
        values,
        title: `Nodes of ${one.name} by country`,
        summary: `${one.name} stated nodes in ${countries(values.length)} on ${on}: ${formatNumber(most)} in ${countryName(top)}${values.length > 1 ? ", the most" : ""}.${one.elsewhere === undefined || one.elsewhere === 0 ? "" : ` ${formatNumber(one.elsewhere)} without a country.`}`
      }
}

/** Why there is no map. */
const noMap = (date: string | undefined, then: string | undefined): string => {
  if (then !== undefined)
    return `${date === undefined ? "No day was closed" : "This day is none, or was not closed"} at the end of ${formatDay(then)}, so no map of it was known. /map is of the newest day, as it is known now.`
  return date === undefined
    ? "No day is closed yet, so there is no map. /log has the days."
    : "There is no map of this day: it is none, or not closed. /map is of the newest one, and /log has the days."
}

/** What is different now of the map of a day as it was known. */
const changedSince = Effect.fnUntraced(function* ({ day, one, values }: Mapped) {
  const present = yield* orProblem(placesOf(day.date))
  const places = present?.networks.find(({ symbol }) => symbol === one?.symbol)
  const after = (one === undefined ? present?.present : places?.nodes) ?? new Map<string, number>()
  const before = new Map(values)
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((code): ChangedCountry => ({ code, before: before.get(code), after: after.get(code) }))
    .filter((country) => country.before !== country.after)
    .toSorted((a, b) => (countryName(a.code) < countryName(b.code) ? -1 : 1))
})

const mapped = Effect.fnUntraced(function* ({ as_known_at, date, network }: MapQuery) {
  const at = endOfPast(as_known_at, yield* pageTime)
  const then = at === undefined ? undefined : isoTime(at).slice(0, 10)
  const day = yield* orProblem(placesOf(date, at))
  if (day === undefined) return yield* new NotFound({ message: noMap(date, then) })
  const symbol = network === undefined ? undefined : (symbolOf(network) ?? network)
  const one = day.networks.find((places) => places.symbol === symbol)
  if (symbol !== undefined && one === undefined)
    return yield* new NotFound({
      message: `No network of this name stated the countries of its nodes on ${formatDay(day.date)}. ${day.networks.length === 0 ? "" : `These did: ${day.networks.map(({ symbol }) => symbol).join(", ")}. `}/map shows them all.`
    })
  const map = mappedOf(day, one)
  if (then === undefined) return map
  const dated: Mapped = { ...map, asKnown: { date: then, changed: yield* changedSince(map) } }
  return dated
})

/** What the map is, and of which day's knowledge. */
const headingOf = ({ asKnown, title }: Mapped): string =>
  asKnown === undefined ? title : `${title}, as known on ${formatDay(asKnown.date)}`

const noteOf = ({ changed, date }: KnownThen): KnownNote => ({
  date,
  lines: changed.map(
    ({ after, before, code }) =>
      `${countryName(code)}: ${before === undefined ? "not on the map" : formatNumber(before)}, now ${after === undefined ? "not on it" : formatNumber(after)}`
  ),
  one: "country",
  many: "countries",
  sign: "with a dotted outline"
})

/** The drawing of a map. */
export const drawnMap = (one: Mapped, id = "map"): string =>
  worldMap({
    id,
    title: headingOf(one),
    summary: one.summary,
    values: new Map(one.values),
    ghosts: one.asKnown?.changed.map(({ code }) => code) ?? []
  })

/** What the shades mean. */
export const shadesOf = ({ one, values }: Mapped): Html => {
  const bounds = boundsOf(new Map(values))
  return html`<p class="shades">${bounds.map((bound, n) => {
    const from = (bounds[n - 1] ?? 0) + 1
    return html`<span><i class="shade-${shadeOf(bound, bounds)}"></i>${from < bound ? `${formatNumber(from)} to ${formatNumber(bound)}` : formatNumber(bound)}</span>`
  })}<span class="quiet">${one === undefined ? "networks; counts of different networks are never added" : "nodes"}</span></p>`
}

const choice = (query: MapQuery, isChosen: boolean, text: string): Html =>
  html`<a href="${mapPath(query)}"${isChosen && raw(' aria-current="true"')}>${text}</a>`

const table = ({ day, one, values }: Mapped): Html => {
  const all = values.reduce((sum, [, value]) => sum + value, 0)
  return wideTable(
    "Table of the countries",
    html`<table class="ranking" aria-labelledby="countries"><thead><tr><th scope="col">Country</th><th scope="col" class="n">${one === undefined ? "Networks" : "Nodes"}</th>${one === undefined ? html`<th scope="col">Which, with their own counts</th>` : html`<th scope="col" class="n">Share</th><th scope="col">Days</th>`}</tr></thead>
<tbody>${values.map(
      ([code, value]) =>
        html`<tr data-country="${code}"><th scope="row">${countryName(code)}</th><td class="n">${formatNumber(value)}</td>${
          one === undefined
            ? html`<td>${day.networks
                .filter(({ nodes }) => nodes.has(code))
                .map(
                  ({ name, nodes, symbol }, n) =>
                    html`${n > 0 && ", "}<a href="${metricPath(symbol, `nodes_country_${code}`)}">${name}</a> ${formatNumber(nodes.get(code) ?? 0)}`
                )}</td>`
            : html`<td class="n">${((100 * value) / all).toFixed(1)} %</td><td><a href="${metricPath(one.symbol, `nodes_country_${code}`)}">chart and proof<span class="visually-hidden"> of ${countryName(code)}</span></a></td>`
        }</tr>`
    )}</tbody></table>`
  )
}

const sources = ({ asKnown, day, one }: Mapped): Html =>
  html`<dl class="facts">${(one === undefined ? day.networks : [one]).map(
    ({ asOf, name, nodes, source, symbol, verifyUrl }) =>
      html`<dt><a href="${networkPath(symbol)}">${name}</a></dt><dd>${countries(nodes.size)}, <a href="${mapPath({ network: symbol, date: day.date, as_known_at: asKnown?.date })}">its map</a>, ${outward(verifyUrl, sourceWords(source), name)}, ${formatTime(isoTime(asOf.getTime()))}</dd>`
  )}</dl>`

/** The map of a day, of all networks or of one. */
export const map = Effect.fn("explorer.map")(function* (query: MapQuery) {
  const one = yield* mapped(query)
  const { date, networks: all } = one.day
  const { baseUrl } = yield* HttpSettings
  const now = yield* pageTime
  const network = one.one?.symbol
  const view = { date: query.date, as_known_at: one.asKnown?.date }
  const path = mapPath({ ...view, network })
  const fixed = { ...view, network, date }
  const isSimulated = all.some(({ simulated }) => simulated)
  return yield* respondPage({
    title: `${one.title}, ${formatDay(date)}${one.asKnown === undefined ? "" : `, as known on ${formatDay(one.asKnown.date)}`}`,
    description: `${one.summary} Each count with its source and its proof.`,
    path,
    picture: mapPath(fixed, "/map/picture.png"),
    script: "page",
    body: html`<h1>${one.title}</h1><p class="lede">${one.summary}</p>
<nav class="tabs" aria-label="Networks">${choice(view, network === undefined, "All networks")}${all.map(({ name, symbol }) => choice({ ...view, network: symbol }, symbol === network, name))}</nav>
<figure class="figure">${raw(drawnMap(one))}${shadesOf(one)}</figure>
${one.asKnown !== undefined && knownNote(noteOf(one.asKnown), mapPath({ network, date }))}<form class="filters" action="/map" method="get">${network !== undefined && html`<input type="hidden" name="network" value="${network}">`}<label>Closed day<input type="date" name="date" value="${date}" max="${yesterdayOf(now)}" required></label>${knownField({ value: one.asKnown?.date ?? "", now, isRequired: false })}<button type="submit">Show</button></form>
${isSimulated && html`<p class="quiet">The counts are simulated.</p>`}
<section aria-labelledby="countries"><h2 id="countries">Countries</h2><p class="quiet">Countries are as each network or its explorer reports them, mostly by IP address.${one.one === undefined && " The nodes of different networks are different things: nothing is added."}</p>${table(one)}</section>
<section aria-labelledby="from"><h2 id="from">Where it is from</h2>${sources(one)}${one.day.leftOut.length > 0 && html`<p>Left out, because their feed is unconfirmed: ${one.day.leftOut.join(", ")}.</p>`}
<p class="quiet">Outlines: Natural Earth, public domain.</p></section>
<section aria-labelledby="take"><h2 id="take">Take it with you</h2><div class="actions"><a class="button" href="${mapPath(fixed, "/map/picture.png")}" download="plumbline-map-${date}${one.asKnown !== undefined && `-as-known-${one.asKnown.date}`}.png">Picture</a></div>
<h3><label for="embed">Embed it</label></h3><textarea id="embed" rows="3" readonly>${`<iframe src="${baseUrl}${mapPath(fixed, "/embed/map")}" title="${headingOf(one)}" width="720" height="460" loading="lazy"></iframe>`}</textarea></section>`
  })
})

/** Where a map is that is drawn elsewhere: of its day and as it is drawn, for good. */
const addressOf = ({ asKnown, day, one }: Mapped): string =>
  mapPath({ network: one?.symbol, date: day.date, as_known_at: asKnown?.date })

/** Whether the sources of a map let it be handed on. */
export const isMapHandedOn = Effect.fnUntraced(function* ({ day, one }: Mapped) {
  const { may } = yield* bulk
  return (one === undefined ? day.networks : [one]).every(({ source }) => may(source))
})

export const embedMap = Effect.fn("explorer.embedMap")(function* (query: MapQuery) {
  const one = yield* mapped(query)
  const { baseUrl } = yield* HttpSettings
  const address = `${baseUrl}${addressOf(one)}`
  const link = html`<a href="${address}" target="_blank" rel="noopener">The table and the proofs at Plumbline</a>`
  return yield* framed({
    title: headingOf(one),
    address,
    body: (yield* isMapHandedOn(one))
      ? html`<figure class="figure"><figcaption><h1>${one.title}</h1></figcaption>${raw(drawnMap(one))}${shadesOf(one)}</figure>${one.asKnown !== undefined && html`<p>${knownLine(noteOf(one.asKnown))}</p>`}<p><small>${one.summary} ${link}</small></p>`
      : html`<h1>${one.title}</h1><p>${withheldWords} ${link}</p>`
  })
})

/** The map as it stands in a picture for previews. */
export const chartOfMap = (one: Mapped): string =>
  `${drawnMap(one).replace(
    /^<svg [^>]*>/,
    `<svg class="chart" viewBox="0 0 ${chartSize.width} ${chartSize.height}"><svg x="${(chartSize.width - (chartSize.height * mapSize.width) / mapSize.height) / 2}" width="${(chartSize.height * mapSize.width) / mapSize.height}" height="${chartSize.height}" viewBox="0 0 ${mapSize.width} ${mapSize.height}">`
  )}</svg>`

export const mapPicture = Effect.fn("explorer.mapPicture")(function* (query: MapQuery) {
  const one = yield* mapped(query)
  const { baseUrl } = yield* HttpSettings
  const svg = pictureSvg({
    heading: one.title,
    below: one.asKnown === undefined ? one.summary : knownLine(noteOf(one.asKnown)),
    value: "",
    chart: (yield* isMapHandedOn(one)) ? chartOfMap(one) : undefined,
    foot: `Natural Earth. Every count with its proof at ${baseUrl.replace(/^https?:\/\//, "")}${addressOf(one)}`
  })
  const bytes = yield* (yield* Painter).png({ svg, width: 1200 })
  return HttpServerResponse.uint8Array(bytes, { contentType: "image/png" })
})
