/** The home page: what this is, how the service stands, and the table of networks. */
import { Effect } from "effect"
import { bySymbol, subnetSymbols } from "../../../core/catalog/Catalog.ts"
import { findSymbol, folded, searchNetworks } from "../../../core/catalog/lookup.ts"
import { attestations } from "../../../core/log/read/attestations.ts"
import { headTime } from "../../../core/log/read/headTime.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { day } from "../../../core/plugin/time.ts"
import { keyless, SampleSizes } from "../../../core/readings/read/Access.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { history } from "../../../core/readings/read/history.ts"
import { IngestCounts } from "../../../core/readings/read/IngestCounts.ts"
import { networks, showcase } from "../../../core/readings/read/networks.ts"
import { profile } from "../../../core/readings/read/profile.ts"
import { supplyList } from "../../../core/readings/read/supply.ts"
import { symbols } from "../../../core/readings/read/symbols.ts"
import { TelemetryTier } from "../../../core/wire/data/networks.ts"
import type { SymbolRow } from "../../../core/wire/data/symbols.ts"
import { orProblem } from "../../problems/fromCore.ts"
import { queryText } from "../html/addresses.ts"
import { measured, networkCells } from "../html/catalog.ts"
import { changeCell, changeLabel } from "../html/change.ts"
import { absent, categoryTitle, formatDay, formatNumber, telemetryWords } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { ageOf, networkPath, sparkOf, valueOf } from "../html/values.ts"
import { estate } from "./estate.ts"

export interface HomeQuery {
  readonly q?: string | undefined
  readonly category?: string | undefined
  readonly telemetry?: string | undefined
  readonly sort?: string | undefined
  readonly page?: string | undefined
}

const rowsOfPage = 50
const days = 30

/** Columns that sort, with their parameter. */
const sorts = ["name", "series", "change", "age"] as const
type Sort = (typeof sorts)[number]

/** What a link in the head of a column does. */
const firstOf: Readonly<Record<Sort, string>> = {
  name: "Sort from A to Z",
  series: "Sort with the most series first",
  change: "Sort with the largest rise first",
  age: "Sort with the newest value first"
}

/** The query as it is understood: what is not valid is left out. */
const paramsOf = ({ category, page, q, sort, telemetry }: HomeQuery) => ({
  q: (q ?? "").trim().slice(0, 100),
  category: Category.literals.find((one) => one === category),
  telemetry: TelemetryTier.literals.find((one) => one === telemetry),
  sort: sorts.find((one) => one === sort),
  page: /^[1-9]\d{0,3}$/.test(page ?? "") ? Number(page) : 1
})
type HomeParams = ReturnType<typeof paramsOf>

const isPresent = (parameter: [name: string, value: string | undefined]): parameter is [string, string] =>
  parameter[1] !== undefined && parameter[1] !== ""

const address = (query: HomeParams, change: Partial<HomeParams> = {}): string => {
  const { page, ...others } = { ...query, ...change }
  const parameters = Object.entries({ ...others, page: page > 1 ? String(page) : undefined })
  const text = queryText(parameters.filter(isPresent))
  return text === "" ? "/" : `/?${text}`
}

/** Readings of the last 24 hours; undefined where none is counted yet although some were read. */
const countedReadings = Effect.fnUntraced(function* (now: number) {
  const { everywhere24h } = yield* (yield* IngestCounts).counts
  if (everywhere24h > 0) return everywhere24h
  const { rows } = yield* (yield* Current).snapshot
  return rows.some(({ confirmedAt }) => confirmedAt > now - day) ? undefined : 0
})

/** The networks whose values are in today's free samples. */
const openToday = Effect.gen(function* () {
  const sizes = yield* SampleSizes
  const listed = yield* networks({ access: keyless, limit: sizes.networks })
  const supplied = yield* supplyList({ access: keyless })
  const showcased = yield* showcase
  return new Set([
    ...listed.networks.map(({ symbol }) => symbol),
    ...supplied.supply.map(({ symbol }) => symbol),
    ...showcased.networks.map(({ symbol }) => symbol)
  ])
})

/** The headline value and its days, for a network whose values are shown. */
const valuesOf = Effect.fnUntraced(
  function* (row: SymbolRow) {
    const { headline, symbol } = row
    if (headline === undefined) return undefined
    const of = yield* profile(symbol)
    const read = of.metrics.find(({ metric }) => metric === headline)
    if (read === undefined) return undefined
    const { data } = yield* history({
      access: keyless,
      network: symbol,
      metric: headline,
      source: read.row.source,
      days
    })
    return { read, series: data[symbol]?.[headline] }
  },
  orProblem,
  Effect.orElseSucceed(() => undefined)
)
type Values = Effect.Success<ReturnType<typeof valuesOf>>

interface Line {
  readonly row: SymbolRow
  readonly inSample: boolean
  readonly values: Values
}

/** Networks that the words describe, best first: by their names, then by the metrics that are measured of them. */
const searched = (rows: ReadonlyArray<SymbolRow>, q: string): ReadonlyArray<SymbolRow> => {
  if (q === "") return rows
  const rowBySymbol = new Map(rows.map((row) => [row.symbol, row]))
  const named = searchNetworks(q).flatMap((symbol) => rowBySymbol.get(symbol) ?? [])
  const words = folded(q).split(/[\s_]+/)
  const measured = rows.filter(({ metrics }) =>
    metrics.some((metric) => words.every((word) => metric.toLowerCase().includes(word)))
  )
  return [...new Set([...named, ...measured])]
}

/** What was perhaps meant: the search by script forgives a slip of the fingers too. */
const near = (q: string): Html | false => {
  const lookup = findSymbol(q)
  const symbols = "suggestions" in lookup ? lookup.suggestions : []
  return (
    symbols.length > 0 &&
    html`<p>Did you mean ${symbols.map((symbol, n) => html`${n > 0 && ", "}<a href="${networkPath(symbol)}">${bySymbol.get(symbol)?.name ?? symbol}</a>`)}?</p>`
  )
}

const kinds = TelemetryTier.literals
const isSubnet = new Set(subnetSymbols)

/** Of the same kind of telemetry, networks with values today come first, and the many subnets last. */
const measuredFirst = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const rank = ({ row, values }: Line) =>
    kinds.indexOf(row.telemetry_tier) * 4 +
    (values === undefined ? 2 : 0) +
    (isSubnet.has(row.symbol) ? 1 : 0)
  return lines.toSorted((a, b) => rank(a) - rank(b))
}

const sorted = (lines: ReadonlyArray<Line>, sort: Sort | undefined): ReadonlyArray<Line> => {
  const last = Number.NEGATIVE_INFINITY
  switch (sort) {
    case "name":
      return lines.toSorted((a, b) => a.row.name.localeCompare(b.row.name, "en"))
    case "series":
      return lines.toSorted((a, b) => b.row.live_series - a.row.live_series)
    case "change":
      return lines.toSorted(
        (a, b) => (b.values?.series?.change_pct ?? last) - (a.values?.series?.change_pct ?? last)
      )
    case "age": {
      const time = ({ values }: Line) => (values === undefined ? last : Date.parse(values.read.row.as_of))
      return lines.toSorted((a, b) => time(b) - time(a))
    }
    default:
      return lines
  }
}

const proofOf = ({ row, values }: Line): Html => {
  const closed = values?.series?.points.filter(({ open }) => open !== true).at(-1)
  if (row.stamped_on_chain)
    return html`<span title="A batch with a value of this network is anchored in Bitcoin">In Bitcoin</span>`
  if (closed === undefined) return html`<span class="quiet">${absent}</span>`
  return html`<span title="Newest value in the log: ${formatDay(closed.date)}">In the log</span>`
}

const rowOf = (line: Line, now: number, today: string): Html => {
  const { row, inSample, values } = line
  const { headline, name, symbol } = row
  const cells = networkCells(row)
  const source = values?.read.row.source
  return html`<tr role="row" data-symbol="${symbol}"${source !== undefined && html` data-source="${source}"`}>
<th scope="row" role="rowheader">${cells.name}</th>
<td role="cell" class="n">${
    values !== undefined
      ? html`<span class="value">${valueOf(values.read.row)}</span>`
      : headline === undefined
        ? html`<span class="quiet">${absent}</span>`
        : html`<a class="quiet" href="${networkPath(symbol)}">on its page<span class="visually-hidden">, ${name}</span></a>`
  }</td>
<td role="cell" class="metric">${cells.metric}</td>
<td role="cell" class="graph">${sparkOf(values?.series, today, days)}</td>
<td role="cell" class="n label" data-label="${changeLabel(values?.series)}">${changeCell(values?.series, undefined)}</td>
<td role="cell" class="n extra">${values === undefined ? "" : ageOf(values.read.row.as_of, now)}</td>
<td role="cell" class="extra telemetry">${cells.telemetry}</td>
<td role="cell" class="n extra series">${cells.series}</td>
<td role="cell" class="extra">${inSample && values !== undefined ? proofOf(line) : ""}</td>
</tr>`
}

const select = (
  name: string,
  label: string,
  all: string,
  chosen: string | undefined,
  options: ReadonlyArray<readonly [string, string]>
): Html =>
  html`<label>${label}<select name="${name}"><option value="">${all}</option>${options.map(
    ([value, text]) =>
      html`<option value="${value}"${value === chosen ? raw(" selected") : ""}>${text}</option>`
  )}</select></label>`

const filters = (
  query: HomeParams,
  count: number
): Html => html`<form class="filters" action="/" method="get" aria-label="Filters">
${query.q !== "" && html`<input type="hidden" name="q" value="${query.q}">`}
${select(
  "category",
  "Category",
  "All categories",
  query.category,
  Category.literals.map((one) => [one, categoryTitle(one)])
)}
${select(
  "telemetry",
  "Telemetry",
  "All kinds",
  query.telemetry,
  TelemetryTier.literals.map((one) => [one, telemetryWords[one].short])
)}
${select("sort", "Order", "Measured first", query.sort, [
  ["name", "Name"],
  ["series", "Most series"],
  ["change", "Largest rise in 30 days"],
  ["age", "Newest value"]
])}
<button type="submit">Apply</button>
<span class="count quiet">${formatNumber(count)} ${count === 1 ? "network" : "networks"}${query.q === "" ? "" : html` for “${query.q}” · <a href="${address({ ...query, q: "", page: 1 })}">show all</a>`}</span>
</form>`

const heading = (query: HomeParams, sort: Sort, text: string, className = ""): Html =>
  html`<th scope="col" role="columnheader" class="${className}"${query.sort === sort ? raw(` aria-sort="${sort === "name" ? "ascending" : "descending"}"`) : ""}><a href="${address(query, { sort: query.sort === sort ? undefined : sort, page: 1 })}" title="${query.sort === sort ? "Sort as at first" : firstOf[sort]}">${text}</a></th>`

const pager = (query: HomeParams, last: number): Html | false =>
  last > 1 &&
  html`<nav class="pages" aria-label="Pages of the table">
${query.page > 1 && html`<a rel="prev" href="${address(query, { page: query.page - 1 })}">Previous</a>`}
<span>Page ${query.page} of ${last}</span>
${query.page < last && html`<a rel="next" href="${address(query, { page: query.page + 1 })}">Next</a>`}
</nav>`

export const home = Effect.fn("explorer.home")(function* (params: HomeQuery) {
  const query = paramsOf(params)
  const now = yield* pageTime
  const today = new Date(now).toISOString().slice(0, 10)
  const all = (yield* symbols()).symbols
  const open = yield* openToday
  const matches = searched(all, query.q).filter(
    (row) =>
      (query.category === undefined || row.category === query.category) &&
      (query.telemetry === undefined || row.telemetry_tier === query.telemetry)
  )
  const lines = yield* Effect.forEach(matches, (row) => {
    const inSample = open.has(row.symbol)
    return Effect.map(
      inSample ? valuesOf(row) : Effect.succeed(undefined),
      (values): Line => ({ row, inSample, values })
    )
  })
  const ordered = sorted(query.q === "" ? measuredFirst(lines) : lines, query.sort)
  const last = Math.max(1, Math.ceil(ordered.length / rowsOfPage))
  const place = Math.min(query.page, last)
  const pageLines = ordered.slice((place - 1) * rowsOfPage, place * rowsOfPage)
  const { attestations: batches, log_size: size } = yield* Effect.orDie(attestations({ limit: 1 }))
  const newest = batches[0]
  const headAt = (yield* orProblem(headTime()))?.getTime()
  const readings = yield* countedReadings(now)
  const n = measured(all)
  const isPlain = address(query) === "/"
  return yield* respondPage({
    title: isPlain
      ? "what infrastructure networks measure, with proof"
      : query.q === ""
        ? "Networks"
        : `Search: ${query.q}`,
    description: `Measured values of ${n} decentralized infrastructure networks and of the physical world. Each one names its source, its time and the place where anyone can check it.`,
    path: address({ ...query, page: place }),
    script: "home",
    query: query.q,
    body: html`${
      isPlain
        ? html`<h1>Measured values of ${n} decentralized infrastructure networks, each with its source and its proof</h1>
${estate({ all, newest, headAt, readings, now, size })}`
        : html`<h1>${query.q === "" ? "Networks" : html`Search: ${query.q}`}</h1>`
    }
<section aria-labelledby="networks"><h2 id="networks">Networks</h2>
${filters(query, matches.length)}
${
  pageLines.length === 0
    ? html`${near(query.q)}<p>Nothing matches. Try a symbol, a part of a name, a category or the name of a metric, or <a href="/">see all networks</a>.</p>`
    : html`<p class="quiet" id="sample"><small>Values of today's open sample of ${open.size} networks, which changes every UTC day. The page of a network shows all of its values, every day.</small></p>
<table class="cards networks" role="table" data-open aria-describedby="sample" aria-labelledby="networks">
<thead role="rowgroup"><tr role="row">
${heading(query, "name", "Network")}<th scope="col" role="columnheader" class="n">Value</th><th scope="col" role="columnheader">Headline metric</th>
<th scope="col" role="columnheader">30 days</th>${heading(query, "change", "Change", "n")}${heading(query, "age", "Age", "n")}
<th scope="col" role="columnheader">Telemetry</th>${heading(query, "series", "Series", "n")}<th scope="col" role="columnheader">Proof</th>
</tr></thead>
<tbody role="rowgroup">${pageLines.map((line) => rowOf(line, now, today))}</tbody></table>`
}
${pager({ ...query, page: place }, last)}
</section>`
  })
})
