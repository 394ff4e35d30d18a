/** `/v1/query`: values of many networks and metrics, and what is said of them, in one answer. */
import { Array as Arr, Effect } from "effect"
import { bySymbol, isDepin } from "../../catalog/Catalog.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { columnsOf } from "../../readings/csv.ts"
import { type Access, accessNote } from "../../readings/read/Access.ts"
import { counts } from "../../readings/read/byDefinition.ts"
import type { CurrentRow } from "../../readings/read/Current.ts"
import { history } from "../../readings/read/history.ts"
import { isLive, type Listing, listing } from "../../readings/read/listing.ts"
import { measuredIn } from "../../readings/read/networks.ts"
import { wholeNumber } from "../../readings/read/parameters.ts"
import { pickSource } from "../../readings/read/pickSource.ts"
import { type RightsBySource, rightsBySource } from "../../readings/read/rights.ts"
import {
  choose,
  cutRow,
  emptyList,
  fieldsOf,
  type ListShape,
  pageOfRows,
  sortedWithin,
  visibleTo
} from "../../readings/read/selection.ts"
import { valueSample } from "../../readings/read/supply.ts"
import { Versions } from "../../readings/read/Versions.ts"
import { besideOf, marksOf } from "../../readings/read/valueRow.ts"
import type { Change } from "../../wire/data/change.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import {
  Aggregate,
  type Growth,
  type GrowthEnd,
  mostDays,
  mostMetrics,
  mostRows,
  type QueryRequest,
  type QueryResponse,
  QueryRow
} from "../../wire/data/query.ts"
import { mostNames } from "../../wire/data/selection.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { attestPath } from "./attestPath.ts"
import { type DayOfValue, keyOfDay, leavesOf } from "./leavesOf.ts"

/** The most series whose changes are made for one page. */
const mostChanges = 2000

const shape: ListShape<QueryRow> = {
  columns: columnsOf(QueryRow),
  order: "key",
  key: ({ metric, symbol }) => `${symbol}!${metric}`,
  limit: { max: mostRows, fallback: 100 },
  past: (cursor) => /^[^!]+![^!]+$/.test(cursor)
}

/** True if a query says how a network stands among all others, which not every tier includes: check that first. */
export const asksAll = ({ aggregates = [] }: Pick<QueryRequest, "aggregates">): boolean =>
  aggregates.includes("rank")

/** The latest row of a metric of a network, of the source that answers. */
const latestOf = (rows: ReadonlyArray<CurrentRow>, symbol: string, metric: string): CurrentRow | undefined =>
  pickSource(
    symbol,
    metric,
    rows
      .filter(({ row }) => row.metric === metric)
      .map((row) => ({ source: row.row.source, asOf: row.asOf, row }))
  )?.row

/** The values that are ranked, the greatest first. */
const rankedValues = (list: Listing, metric: string): ReadonlyArray<number> =>
  [...list.bySymbol]
    .flatMap(([symbol, rows]) => {
      const network = bySymbol.get(symbol)
      const row = network === undefined || !isDepin(network) ? undefined : latestOf(rows, symbol, metric)
      return row === undefined || !counts(row) || !isLive(list.at)(row) ? [] : [row.row.value]
    })
    .toSorted((a, b) => b - a)

/** The rank of each value by metric. */
const ranksOf = (list: Listing, metrics: ReadonlyArray<string>) => {
  const byMetric = new Map(metrics.map((metric) => [metric, rankedValues(list, metric)]))
  return ({ row, ...current }: CurrentRow): Pick<QueryRow, "rank" | "n_ranked"> => {
    const values = byMetric.get(row.metric) ?? []
    const network = bySymbol.get(row.symbol)
    const isRanked =
      network !== undefined && isDepin(network) && counts(current) && isLive(list.at)({ row, ...current })
    return isRanked ? { rank: values.indexOf(row.value) + 1, n_ranked: values.length } : {}
  }
}

/** The changes of some series over the window by symbol and metric, of the sources of these rows; and what the tier cut. */
const changesOf = Effect.fnUntraced(function* (rows: ReadonlyArray<QueryRow>, days: number, access: Access) {
  const changes = new Map<string, { readonly change: Change | undefined; readonly relative: number | null }>()
  const sources = new Map(rows.map((row) => [shape.key(row), row.source]))
  const metrics = [...new Set(rows.map(({ metric }) => metric))]
  let note: string | undefined
  for (const symbols of Arr.chunksOf([...new Set(rows.map(({ symbol }) => symbol))], mostNames)) {
    let cursor: string | undefined
    do {
      const page: Effect.Success<ReturnType<typeof history>> = yield* history({
        access,
        symbols,
        metrics,
        days,
        cursor
      })
      for (const [symbol, series] of Object.entries(page.data)) {
        for (const [metric, { change, change_pct, source }] of Object.entries(series)) {
          const key = shape.key({ symbol, metric, source, verify_url: "", as_of: "" })
          if (sources.get(key) === source) changes.set(key, { change, relative: change_pct })
        }
      }
      if (access.historyDays !== null && days > access.historyDays) note = page.note
      cursor = page.next_cursor
    } while (cursor !== undefined)
  }
  return { changes, note }
})

const withChanges = (
  rows: ReadonlyArray<QueryRow>,
  { changes }: Effect.Success<ReturnType<typeof changesOf>>
): ReadonlyArray<QueryRow> =>
  rows.map((row) => {
    const ofSeries = changes.get(shape.key(row))
    return ofSeries?.change === undefined
      ? row
      : { ...row, change_pct: ofSeries.relative, change: ofSeries.change }
  })

const daysOfChange = ({ change, metric, source, symbol }: QueryRow): ReadonlyArray<DayOfValue> =>
  change === undefined ? [] : [change.from, change.to].map(({ date }) => ({ symbol, metric, source, date }))

/** The rows with the growth of each, and where the log commits to its ends. */
const withGrowth = Effect.fnUntraced(function* (rows: ReadonlyArray<QueryRow>) {
  const leaves = yield* leavesOf(rows.flatMap(daysOfChange))
  const endOf = (row: QueryRow, end: Change["from"]): GrowthEnd => {
    const { metric, source, symbol } = row
    const leaf = leaves.get(keyOfDay({ symbol, metric, source, date: end.date }))
    if (leaf === undefined) return end
    const { batch_root, hash, index, log_index, version } = leaf
    const bundle_url = attestPath({ symbol, metric, source, day: end.date }, "bundle4")
    return { ...end, leaf: { hash, index, version, batch_root, log_index, bundle_url } }
  }
  return rows.map((row): QueryRow => {
    if (row.change === undefined) return row
    const { from, to, ...size } = row.change
    const growth: Growth = { from: endOf(row, from), to: endOf(row, to), ...size }
    return { ...row, growth }
  })
})

/** What was asked for of a row. What it was made of, or sorted by, is left out otherwise. */
const rowAsAsked = (row: QueryRow, aggregates: ReadonlySet<Aggregate>): QueryRow => {
  const { change, change_pct, growth, n_ranked, rank, value, value_text, ...named } = row
  return {
    ...named,
    ...(aggregates.has("latest") && value !== undefined
      ? { value, ...(value_text === undefined ? {} : { value_text }) }
      : {}),
    ...(aggregates.has("change") && change !== undefined && change_pct !== undefined
      ? { change_pct, change }
      : {}),
    ...(growth === undefined ? {} : { growth }),
    ...(rank === undefined || n_ranked === undefined ? {} : { rank, n_ranked })
  }
}

const metricsOf = Effect.fnUntraced(function* ({ metrics }: QueryRequest) {
  const valid = `1 to ${mostMetrics} names`
  if (metrics.length > 0 && metrics.length <= mostMetrics) return metrics
  const message = metrics.length === 0 ? emptyList("metrics") : `metrics must have ${valid}.`
  return yield* new BadParameter({ field: "metrics", message, valid })
})

/** What is to be said of each series. A list with nothing in it asks for rows without a figure. */
const aggregatesOf = Effect.fnUntraced(function* ({ aggregates = ["latest"] }: QueryRequest) {
  return aggregates.length > 0
    ? new Set(aggregates)
    : yield* new BadParameter({
        field: "aggregates",
        message: emptyList("aggregates"),
        valid_values: Aggregate.literals
      })
})

/** Fails if rows are to be sorted by a rank that was not asked for: they have none. */
const sortOfRank = ({ sort = "", ...request }: QueryRequest) => {
  const field = sort.replace(/^-/, "")
  return (field === "rank" || field === "n_ranked") && !asksAll(request)
    ? Effect.fail(
        new BadParameter({
          field: "sort",
          message: `sort by ${field} takes the aggregate rank: send it in aggregates.`
        })
      )
    : Effect.void
}

/** The chosen series that the caller sees, by symbol and metric, what an order of them is among, and the networks that he names and does not see. */
const chosenSeries = Effect.fnUntraced(function* (request: QueryRequest, access: Access, list: Listing) {
  const metrics = yield* metricsOf(request)
  const chosen = yield* choose({ ...request, metrics }, measuredIn(list))
  const names = [...(chosen.metrics ?? [])].toSorted(compare)
  const rowsBySymbol = new Map(
    [...list.bySymbol]
      .filter(([symbol]) => chosen.hasSymbol(symbol))
      .map(([symbol, of]) => [symbol, names.flatMap((metric) => latestOf(of, symbol, metric) ?? [])] as const)
      .filter(([, rows]) => rows.length > 0)
      .toSorted(([a], [b]) => compare(a, b))
  )
  const { hidden, visible } = visibleTo([...rowsBySymbol.keys()], {
    breadth: access.breadth,
    named: chosen.symbols,
    sampleOf: yield* valueSample(list),
    today: list.today
  })
  const rows = visible.flatMap((symbol) => rowsBySymbol.get(symbol) ?? [])
  const within = sortedWithin(request.sort, visible.length, rowsBySymbol.size)
  return { rows, hidden, within, metrics: [...(chosen.metrics ?? [])] }
})

const rowOf = (current: CurrentRow, rightsOf: RightsBySource): QueryRow => {
  const { as_of, metric, source, symbol, unit, value, value_text, verify_url } = current.row
  return {
    symbol,
    metric,
    value,
    ...(value_text === undefined ? {} : { value_text }),
    unit,
    source,
    verify_url,
    as_of,
    ...marksOf(current),
    ...besideOf(current),
    ...rightsOf(source)
  }
}

/**
 * The answer to a query. Twelve networks by name, or the day's sample of those that match, are for everyone; all are for a tier
 * whose access has them. A rank is of all networks (`asksAll`). Fails with `BadParameter` and `UnknownSymbol`.
 */
export const query = Effect.fn("Log.query")(function* (request: QueryRequest, access: Access) {
  const days = yield* wholeNumber("days", request.days, { min: 1, max: mostDays, fallback: 30 })
  const columns = yield* fieldsOf(request.fields, shape.columns)
  const aggregates: ReadonlySet<Aggregate> = yield* aggregatesOf(request)
  yield* sortOfRank(request)
  const list = yield* listing
  const { hidden, metrics, rows, within } = yield* chosenSeries(request, access, list)
  const rightsOf = yield* rightsBySource
  const rankOf = aggregates.has("rank") ? ranksOf(list, metrics) : () => ({})
  const all = rows.map((row): QueryRow => ({ ...rowOf(row, rightsOf), ...rankOf(row) }))

  const needsChange = aggregates.has("change") || aggregates.has("growth")
  const sortsByChange = /^-?change_pct$/.test(request.sort ?? "")
  if (sortsByChange && all.length > mostChanges) {
    return yield* new BadParameter({
      field: "sort",
      message: `sort by change_pct takes at most ${mostChanges} series; these are ${all.length}. Name fewer metrics.`
    })
  }
  const before = sortsByChange ? yield* changesOf(all, days, access) : undefined
  const { items, next } = yield* pageOfRows(
    before === undefined ? all : withChanges(all, before),
    request,
    shape
  )
  const changes = before ?? (needsChange ? yield* changesOf(items, days, access) : undefined)
  const changed = changes === undefined ? items : withChanges(items, changes)
  const grown = aggregates.has("growth") ? yield* withGrowth(changed) : changed
  const answerRows = grown.map((row) => rowAsAsked(row, aggregates))
  const versions = yield* Versions
  const response: QueryResponse = {
    ...within,
    generated_utc: isoTime(
      needsChange ? yield* versions.changedAt([...dependenciesOf.list, "incidents", "log"]) : list.at
    ),
    ...(needsChange ? { window_days: days } : {}),
    rows: columns === undefined ? answerRows : answerRows.map((row) => cutQueryRow(row, columns)),
    n_rows: all.length,
    access: accessNote(access),
    ...(hidden.length === 0 ? {} : { not_shown: hidden }),
    ...(changes?.note === undefined ? {} : { note: changes.note }),
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})

/** Members that can be left out are optional, so a cut row is a row. */
const cutQueryRow = (row: QueryRow, columns: ReadonlyArray<string>): QueryRow => {
  const { as_of, metric, source, symbol, verify_url } = row
  return { ...cutRow(row, columns), symbol, metric, source, verify_url, as_of }
}
