/** The list of networks: what this is, how the service stands, and one row for each. */
import { Effect } from "effect"
import { bySymbol } from "../../../core/catalog/Catalog.ts"
import { findSymbol } from "../../../core/catalog/lookup.ts"
import { attestations } from "../../../core/log/record/attestations.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { day } from "../../../core/plugin/time.ts"
import { Current } from "../../../core/readings/read/Current.ts"
import { type Coverage, coverageOf } from "../../../core/readings/read/coverage.ts"
import { IngestCounts } from "../../../core/readings/read/IngestCounts.ts"
import type { Overview, OverviewField } from "../../../core/readings/read/overview.ts"
import type { Searched } from "../../../core/readings/read/search.ts"
import { isRowCounted } from "../../../core/readings/read/valueRow.ts"
import type { SearchAnswer, TelemetryTier } from "../../../core/wire/data/networks.ts"
import { answerTitle } from "../html/answer.ts"
import { coded } from "../html/coded.ts"
import { columnSetNames, columnSets, type KindFilter } from "../html/columns.ts"
import { categoryTitle, formatChange, formatNumber, formatShortDay } from "../html/format.ts"
import { type Html, html, raw } from "../html/markup.ts"
import { networksPath } from "../html/nav.ts"
import { roughly, roughText } from "../html/roughly.ts"
import { pageTime, respondPage } from "../html/shell.ts"
import { sourceWords } from "../html/sourceWords.ts"
import { ageOf, marksText, metricPath, networkPath, outward } from "../html/values.ts"
import { wideTable } from "../html/wideTable.ts"
import { estate } from "./estate.ts"
import {
  addressOf,
  columnsOf,
  kindFilterOf,
  type ListParams,
  type ListQuery,
  linesOf,
  listOf,
  paramsOf
} from "./networkList.ts"
import { networkTable } from "./networkTable.ts"
import { waitingNote } from "./waiting.ts"

const rowsOfPage = 50

/** Readings of the last 24 hours; undefined where none is counted yet although some were read. */
const countedReadings = Effect.fnUntraced(function* (now: number) {
  const { everywhere24h } = yield* (yield* IngestCounts).counts
  if (everywhere24h > 0) return everywhere24h
  const { rows } = yield* (yield* Current).snapshot
  return rows.some(({ confirmedAt }) => confirmedAt > now - day) ? undefined : 0
})

/** Networks that are called nearly as the query is. */
const nearlyCalled = (q: string): ReadonlyArray<string> => {
  const lookup = findSymbol(q)
  return "suggestions" in lookup ? lookup.suggestions : []
}

/** What was perhaps meant: the search by script forgives a slip of the fingers too. */
const near = (symbols: ReadonlyArray<string>): Html | false =>
  symbols.length > 0 &&
  html`<p>Did you mean ${symbols.map((symbol, n) => html`${n > 0 && ", "}<a href="${networkPath(symbol)}">${bySymbol.get(symbol)?.name ?? symbol}</a>`)}?</p>`

/** What of a question the figures do not tell, and the pages that answer it. */
const besideAnswers = ({ note, pages }: Searched): Html =>
  html`${note !== undefined && html`<p>${note}</p>`}${
    pages.length > 0 &&
    html`<p>${pages.map(({ path, title }, n) => html`${n > 0 && " · "}<a href="${path}">${title}</a>`)}</p>`
  }`

const choice = (
  query: ListParams,
  change: Partial<ListParams>,
  isChosen: boolean,
  text: string,
  n?: number
): Html =>
  html`<a href="${addressOf(query, { ...change, page: 1 })}"${isChosen && raw(' aria-current="true"')}>${text}${n !== undefined && html` <span class="quiet">${formatNumber(n)}</span>`}</a>`

/** What there is, each kind counted apart; a search looks through all of it. */
const kindsNav = (query: ListParams, counts: Coverage): Html => {
  const show = kindFilterOf(query)
  const of = (one: KindFilter, text: string, n: number, telemetry?: TelemetryTier) =>
    choice(
      query,
      { show: one === "network" && query.q === "" ? undefined : one, telemetry, category: undefined },
      show === one && query.telemetry === telemetry,
      text,
      n
    )
  return html`<nav class="tabs" aria-label="Kinds of networks">
${of("network", "Networks", counts.networks)}${of("network", "own telemetry", counts.ownTelemetry, "first_party")}${of("network", "market only", counts.marketOnly, "market_only")}${of("network", "listed", counts.listed, "catalog_only")}
${of("subnet", "Subnets", counts.subnets)}${of("reference", "Reference chains", counts.reference)}${of("all", "All", counts.catalog)}
<a href="/coverage">Why these counts</a></nav>`
}

const categoriesNav = (query: ListParams, beside: ReadonlyArray<Overview>): Html | false => {
  const counts = new Map(
    [...Map.groupBy(beside, ({ row }) => row.category)].map(([name, of]) => [name, of.length])
  )
  const present = Category.literals.filter((one) => counts.has(one) || one === query.category)
  return (
    present.length > 1 &&
    html`<nav class="tabs" aria-label="Categories">${choice(query, { category: undefined }, query.category === undefined, "All categories", beside.length)}${present
      .toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0))
      .map((one) =>
        choice(query, { category: one }, query.category === one, categoryTitle(one), counts.get(one) ?? 0)
      )}</nav>`
  )
}

const columnsNav = (query: ListParams): Html =>
  html`<nav class="tabs" aria-label="Columns"><span class="quiet">Columns</span>${columnSetNames.map((one) =>
    choice(
      query,
      { columns: one === "supply" ? undefined : one },
      columnsOf(query) === one,
      columnSets[one].title
    )
  )}<a class="last" href="${addressOf(query, { columns: undefined, page: 1 }, "/networks/data.csv")}">CSV</a></nav>`

/** A sum of one figure says of how many networks it is, and leaves out what no one has confirmed or counted. */
const sumOf = (
  entries: ReadonlyArray<Overview>,
  field: OverviewField,
  what: string,
  of: string
): Html | false => {
  const values = entries.flatMap(({ figures }) => figures?.row(field) ?? []).filter(isRowCounted)
  return (
    values.length > 1 &&
    html`<span>${what}: <strong>${roughText(
      values.reduce((sum, { value }) => sum + value, 0),
      "usd"
    )}</strong>, sum of ${formatNumber(values.length)} ${of}</span>`
  )
}

const totals = (query: ListParams, entries: ReadonlyArray<Overview>): Html => {
  const n = entries.length
  return html`<p class="totals"><span>${formatNumber(n)} ${n === 1 ? "network" : "networks"}${query.q !== "" && html` for “${query.q}” · <a href="${addressOf(query, { q: "", page: 1 })}">show all</a>`}</span>
${sumOf(entries, "market_cap_usd", "Market cap", "tokens")} ${sumOf(entries, "fees_30d_usd", "Fees in 30 days", "networks")}</p>`
}

/** How an answer grew, where that was asked. */
const growthText = ({ growth }: SearchAnswer): Html | false => {
  if (growth === undefined) return false
  const text =
    growth === null
      ? "30-day change n/a"
      : `${formatChange(growth.relative)} from ${formatShortDay(growth.from)} to ${formatShortDay(growth.to)}`
  return html` <span class="quiet">${text}</span>`
}

/** The figures that answer the words of a search, before the networks they are of. */
const answersTable = (answers: ReadonlyArray<SearchAnswer>, now: number): Html | false =>
  answers.length > 0 &&
  html`<section aria-labelledby="answers"><h2 id="answers">Figures</h2>
${wideTable(
  "Figures",
  html`<table class="answers-table"><thead><tr><th scope="col">Figure</th><th scope="col" class="n">Value</th><th scope="col" class="n">Age</th><th scope="col">Source</th><th scope="col">What it is</th></tr></thead>
<tbody>${answers.map(
    (answer) =>
      html`<tr><th scope="row"><a href="${metricPath(answer.symbol, answer.metric)}">${answerTitle(answer)}</a></th><td class="n">${roughly(answer)}${growthText(answer)}${marksText(answer).map((mark) => html` <span class="quiet">${mark}</span>`)}</td><td class="n">${ageOf(answer.as_of, now)}</td><td>${outward(answer.verify_url, sourceWords(answer.source), answerTitle(answer))}</td><td class="meaning">${coded(answer.meaning)}</td></tr>`
  )}</tbody></table>`
)}</section>`

const pager = (query: ListParams, last: number): Html | false =>
  last > 1 &&
  html`<nav class="pages" aria-label="Pages of the table">
${query.page > 1 && html`<a rel="prev" href="${addressOf(query, { page: query.page - 1 })}">Previous</a>`}
<span>Page ${query.page} of ${last}</span>
${query.page < last && html`<a rel="next" href="${addressOf(query, { page: query.page + 1 })}">Next</a>`}
</nav>`

export const networks = Effect.fn("explorer.networks")(function* (params: ListQuery) {
  const query = paramsOf(params)
  const now = yield* pageTime
  const { all, beside, ordered, searched } = yield* listOf(query)
  const last = Math.max(1, Math.ceil(ordered.length / rowsOfPage))
  const page = Math.min(query.page, last)
  const from = (page - 1) * rowsOfPage
  const lines = yield* linesOf(query, ordered.slice(from, from + rowsOfPage))
  const { attestations: batches } = yield* Effect.orDie(attestations({ limit: 1 }))
  const newest = batches[0]
  const readings = yield* countedReadings(now)
  const rows = all.map(({ row }) => row)
  const counts = coverageOf(rows)
  const isPlain = addressOf(query) === networksPath
  return yield* respondPage({
    title: isPlain
      ? "what infrastructure networks measure, with proof"
      : query.q === ""
        ? "Networks"
        : `Search: ${query.q}`,
    description: `Measured values of ${counts.ownTelemetry} decentralized infrastructure networks and of the physical world. Each one names its source, its time and the place where anyone can check it.`,
    path: addressOf({ ...query, page }),
    ...(query.q === "" ? { picture: `${networksPath}/picture.png` } : {}),
    script: "networks",
    query: query.q,
    body: html`${
      isPlain
        ? html`<h1>Measured values of ${counts.ownTelemetry} decentralized infrastructure networks, each with its source and its proof</h1>
${estate({ all: rows, newest, readings })}`
        : html`<h1>${query.q === "" ? "Networks" : html`Search: ${query.q}`}</h1>`
    }
${searched?.isCorrected === true && near(nearlyCalled(query.q).filter((symbol) => searched.networks.includes(symbol)))}${page === 1 && searched !== undefined && html`${besideAnswers(searched)}${answersTable(searched.answers, now)}`}
<section aria-labelledby="networks"><h2 id="networks">Networks</h2>${query.q === "" && (yield* waitingNote())}
${kindsNav(query, counts)}${categoriesNav(query, beside)}${totals(query, ordered)}${columnsNav(query)}
${
  lines.length === 0
    ? (searched === undefined || searched.answers.length + searched.pages.length === 0) &&
      html`${near(nearlyCalled(query.q))}<p>Nothing matches. Try a symbol, a part of a name, a category or the name of a metric, or <a href="${networksPath}">see all networks</a>.</p>`
    : networkTable(query, lines, from, now)
}
${pager({ ...query, page }, last)}
</section>`
  })
})
