/** Which networks a list shows, and in what order: the same for the page and for its CSV. */
import { Effect } from "effect"
import { kindOf } from "../../../core/catalog/kindOf.ts"
import { Category } from "../../../core/plugin/kinds.ts"
import { day } from "../../../core/plugin/time.ts"
import { changeOver, isBroadBase } from "../../../core/readings/change.ts"
import { keyless } from "../../../core/readings/read/Access.ts"
import { dateOf } from "../../../core/readings/read/days.ts"
import { history } from "../../../core/readings/read/history.ts"
import { type Overview, overview } from "../../../core/readings/read/overview.ts"
import { type Searched, search } from "../../../core/readings/read/search.ts"
import { chosenOf } from "../../../core/readings/read/selection.ts"
import type { HistorySeries } from "../../../core/wire/data/history.ts"
import { TelemetryTier } from "../../../core/wire/data/networks.ts"
import { orProblem } from "../../problems/fromCore.ts"
import type { Changed } from "../html/change.ts"
import { type ColumnSet, columnSetNames, type KindFilter, kindFilters, sorts } from "../html/columns.ts"
import { networksPath } from "../html/nav.ts"
import { queryText } from "../html/queryText.ts"

export interface ListQuery {
  readonly q?: string | undefined
  readonly show?: string | undefined
  readonly category?: string | undefined
  readonly telemetry?: string | undefined
  readonly columns?: string | undefined
  readonly sort?: string | undefined
  readonly page?: string | undefined
}

/** Days of the list's lines and changes. */
export const listDays = 30

/** The query as it is understood: what is not valid is left out. */
export const paramsOf = ({ category, columns, page, q, show, sort, telemetry }: ListQuery) => ({
  q: (q ?? "").trim().slice(0, 100),
  show: kindFilters.find((one) => one === show),
  category: Category.literals.find((one) => one === category),
  telemetry: TelemetryTier.literals.find((one) => one === telemetry),
  columns: columnSetNames.find((one) => one === columns),
  sort: sorts.find((one) => one === sort),
  page: /^[1-9]\d{0,3}$/.test(page ?? "") ? Number(page) : 1
})
export type ListParams = ReturnType<typeof paramsOf>

export const columnsOf = ({ columns }: ListParams): ColumnSet => columns ?? "supply"

/** A search looks through everything, and so does nothing else unasked. */
export const kindFilterOf = ({ category, q, show }: ListParams): KindFilter =>
  show ?? (q !== "" ? "all" : category === "reference" ? "reference" : "network")

const isPresent = (parameter: [name: string, value: string | undefined]): parameter is [string, string] =>
  parameter[1] !== undefined && parameter[1] !== ""

/** The address of a list that differs from another. */
export const addressOf = (
  query: ListParams,
  change: Partial<ListParams> = {},
  path = networksPath
): string => {
  const { page, ...others } = { ...query, ...change }
  const parameters = Object.entries({ ...others, page: page > 1 ? String(page) : undefined })
  const text = queryText(parameters.filter(isPresent))
  return text === "" ? path : `${path}?${text}`
}

/** What a search finds: those that answer its question, then those whose names have its words; all without a question. */
const inOrderOf = (all: ReadonlyArray<Overview>, searched: Searched | undefined): ReadonlyArray<Overview> => {
  if (searched === undefined) return all
  const entryBySymbol = new Map(all.map((one) => [one.row.symbol, one]))
  const answering = searched.answers.map(({ symbol }) => symbol)
  const symbols = searched.ofNetworks
    ? [...searched.networks, ...answering]
    : [...answering, ...searched.networks]
  return [...new Set(symbols)].flatMap((symbol) => entryBySymbol.get(symbol) ?? [])
}

const kinds = TelemetryTier.literals

/** By market value, and what has none by what is measured of it. */
const byImportance = (all: ReadonlyArray<Overview>): ReadonlyArray<Overview> => {
  const value = ({ figures }: Overview) => figures?.value("market_cap_usd") ?? -1
  return all.toSorted(
    (a, b) =>
      value(b) - value(a) ||
      kinds.indexOf(a.row.telemetry_tier) - kinds.indexOf(b.row.telemetry_tier) ||
      b.row.live_series - a.row.live_series
  )
}

/** An entry with the days of its headline. */
export interface Line extends Overview {
  readonly series: HistorySeries | undefined
  readonly week: Changed | undefined
}

/** The change within the week before the last closed day; none where that week's first day has no reading. */
const weekOf = (series: HistorySeries | undefined): Changed | undefined => {
  const last = series?.change?.to.date
  if (series === undefined || last === undefined) return undefined
  const first = dateOf(Date.parse(last) - 7 * day)
  const { points, unit } = series
  const days = points.filter(({ date }) => date >= first && date <= last)
  return { unit, change: days[0]?.date === first ? changeOver(unit, days) : undefined }
}

/** The entry with its days, which anyone can read at /v1/history. */
const lineOf = Effect.fnUntraced(
  function* (entry: Overview) {
    const { headline, row } = entry
    if (headline === undefined) return { ...entry, series: undefined, week: undefined } satisfies Line
    const { metric, source } = headline
    const { data } = yield* history({ access: keyless, network: row.symbol, metric, source, days: listDays })
    const series = data[row.symbol]?.[metric]
    return { ...entry, series, week: weekOf(series) } satisfies Line
  },
  orProblem,
  (effect, entry) =>
    Effect.orElseSucceed(effect, (): Line => ({ ...entry, series: undefined, week: undefined }))
)

/** The columns that show days. */
const withDays: ReadonlySet<ColumnSet> = new Set(["supply", "data"])

const isLine = (entry: Overview): entry is Line => "series" in entry

/** The entries of a page with their days, where its columns show these. */
export const linesOf = Effect.fnUntraced(function* (query: ListParams, entries: ReadonlyArray<Overview>) {
  const hasDays = withDays.has(columnsOf(query))
  return yield* Effect.forEach(entries, (entry) =>
    isLine(entry)
      ? Effect.succeed(entry)
      : hasDays
        ? lineOf(entry)
        : Effect.succeed<Line>({ ...entry, series: undefined, week: undefined })
  )
})

const lowest = Number.NEGATIVE_INFINITY

/** A change for ordering: what has none in percent comes last, and before it what begins from a narrow base. */
const rankOf = (
  metric: string | undefined,
  { change, unit }: Partial<Changed> = {}
): readonly [number, number] =>
  change === undefined || change.relative === null || unit === undefined
    ? [2, lowest]
    : [isBroadBase({ metric: metric ?? "", unit }, change.from.value) ? 0 : 1, change.relative]

const byChange = (
  lines: ReadonlyArray<Line>,
  of: (line: Line) => Changed | undefined
): ReadonlyArray<Line> => {
  const ranks = new Map(lines.map((line) => [line, rankOf(line.headline?.metric, of(line))]))
  return lines.toSorted((a, b) => {
    const [[groupA, changeA], [groupB, changeB]] = [ranks.get(a) ?? [2, lowest], ranks.get(b) ?? [2, lowest]]
    return groupA - groupB || (changeA === changeB ? 0 : changeB - changeA)
  })
}

const byNumber = (
  all: ReadonlyArray<Overview>,
  of: (one: Overview) => number | null
): ReadonlyArray<Overview> => {
  const number = (one: Overview) => of(one) ?? lowest
  return all.toSorted((a, b) => (number(a) === number(b) ? 0 : number(b) - number(a)))
}

/** Entries that match, before they are ordered: by everything, and by all but the category for the counts of the tabs. */
const matching = (all: ReadonlyArray<Overview>, query: ListParams, searched: Searched | undefined) => {
  const show = kindFilterOf(query)
  const beside = inOrderOf(all, searched).filter(
    ({ row }) =>
      (show === "all" || kindOf(row) === show) &&
      (query.telemetry === undefined || row.telemetry_tier === query.telemetry)
  )
  return {
    beside,
    entries: beside.filter(({ row }) => query.category === undefined || row.category === query.category)
  }
}

/** All rows that a query asks for, in its order. Those of the changes need the days of all. */
export const listOf = Effect.fn("explorer.listOf")(function* (query: ListParams) {
  const all = yield* overview()
  const searched =
    query.q === "" ? undefined : yield* search(query.q, chosenOf(undefined, undefined, query.category))
  const { beside, entries } = matching(all, query, searched)
  const important = query.q === "" ? byImportance(entries) : entries
  const { sort } = query
  const ordered =
    sort === "change" || sort === "week"
      ? byChange(yield* Effect.forEach(important, lineOf), (line) =>
          sort === "week" ? line.week : line.series
        )
      : sort === "name"
        ? important.toSorted((a, b) => a.row.name.localeCompare(b.row.name, "en"))
        : sort === "series"
          ? byNumber(important, ({ row }) => row.live_series)
          : sort === "age"
            ? byNumber(important, ({ headline }) =>
                headline === undefined ? null : Date.parse(headline.as_of)
              )
            : sort === undefined
              ? important
              : byNumber(important, ({ figures }) => figures?.value(sort) ?? null)
  return {
    all,
    searched,
    beside,
    ordered
  }
})
