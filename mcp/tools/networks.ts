/** Tools for networks and their values. */
import { Effect, Schema } from "effect"
import { Category } from "../../core/plugin/kinds.ts"
import { history } from "../../core/readings/read/history.ts"
import { network } from "../../core/readings/read/network.ts"
import { mostBeside, networks } from "../../core/readings/read/networks.ts"
import { dayOf, declaredMetric, knownSymbol, wholeNumber } from "../../core/readings/read/parameters.ts"
import { namesOf } from "../../core/readings/read/selection.ts"
import { HistoryResponse, type HistorySeries } from "../../core/wire/data/history.ts"
import { NetworksResponse } from "../../core/wire/data/networks.ts"
import { described, ValueRow } from "../../core/wire/data/valueRow.ts"
import { Linked, linkTo, uriOf } from "../links.ts"
import { historyCsv } from "../resources.ts"
import { sanitize } from "../sanitize.ts"
import { accessOf, define, reads } from "../Tool.ts"
import { cursor, fewReasons, leftOut, limit, nextCursor, placeOf, restOf, slice, text } from "../truncate.ts"

const symbol = Schema.String.annotate({ description: "symbol or name, e.g. FIL, SN64 or Filecoin" })

/** Says which matches the search left out and how to get them; undefined if there are none. */
const outside = ({
  also_matching,
  n_matching,
  networks,
  next_cursor
}: NetworksResponse): string | undefined =>
  also_matching &&
  `${n_matching} networks match; ${networks.length} of them are rows here${next_cursor === undefined ? "" : ", more rows by next_cursor"}. also_matching has the symbols that are no ` +
    `rows${also_matching.length < mostBeside ? "" : ` (the first ${mostBeside})`}; get_network reads any of them.`

export const findNetworks = define({
  name: "find_networks",
  title: "Find networks",
  description:
    'Ask in words, such as "cheapest H100 hour": answers has series with their latest value, note what these ' +
    "do not tell, networks those that any word describes, measured ones first. Start here: others take the symbol. " +
    "telemetry_tier catalog_only: nothing is measured. Without a query: a day's sample, live first.",
  annotations: reads,
  sold: true,
  key: "widens",
  input: Schema.Struct({
    query: text("omit for the list"),
    category: Schema.optionalKey(Category.annotate({ description: "only networks of this category" })),
    limit: limit(200, 10, "networks"),
    cursor
  }),
  output: Schema.Struct({ ...NetworksResponse.fields, left_out: leftOut }),
  depth: 1,
  run: Effect.fnUntraced(function* (input, call) {
    const limit = yield* wholeNumber("limit", input.limit, { min: 1, max: 200, fallback: 10 })
    const page: NetworksResponse & { readonly left_out?: string } = fewReasons(
      yield* networks({ ...input, limit, access: yield* accessOf(call) })
    )
    const notes = [page.left_out, outside(page)].filter((note) => note !== undefined)
    return notes.length === 0 ? page : { ...page, left_out: notes.join(" ") }
  })
})

export const getNetwork = define({
  name: "get_network",
  title: "Latest values of a network",
  description:
    "The latest value of every metric measured for a network. Each row has its source, its time (as_of) and an upstream " +
    "URL to check it against (verify_url). A missing metric was not measured; it is not 0.",
  annotations: reads,
  sold: true,
  input: Schema.Struct({
    symbol,
    metric: text("only this metric; several with commas"),
    limit: limit(200, 15, "rows"),
    cursor
  }),
  output: Schema.Struct({
    symbol: described.symbol,
    rows: Schema.Array(ValueRow),
    n_rows: Schema.Natural,
    left_out: leftOut,
    next_cursor: nextCursor
  }),
  depth: 1,
  run: Effect.fnUntraced(function* (input) {
    const limit = yield* wholeNumber("limit", input.limit, { min: 1, max: 200, fallback: 15 })
    const symbol = yield* knownSymbol("symbol", input.symbol)
    const rows = yield* network(symbol)
    const only = yield* namesOf("metric", input.metric)
    // A declared metric without data gives an empty answer; an undeclared one is an error.
    for (const metric of only ?? []) {
      yield* declaredMetric(
        "metric",
        metric,
        rows.map(({ metric }) => metric)
      )
    }
    const all = rows.filter(({ metric }) => only?.includes(metric) !== false)
    const from = yield* placeOf(input.cursor)
    const { items, next } = slice(all, limit, from)
    const left = restOf(
      { from, count: items.length },
      all.map(({ metric }) => metric)
    )
    const answer = { symbol, rows: items, n_rows: all.length, ...next }
    if (left === undefined) return answer
    const whole = linkTo({
      uri: uriOf("network", [symbol]),
      name: symbol,
      title: `Every latest value of ${symbol}`,
      mimeType: "application/json",
      size: Buffer.byteLength(JSON.stringify(sanitize({ symbol, rows })))
    })
    return new Linked({ ...answer, left_out: `${left} All: resource ${whole.uri}` }, [whole])
  })
})

/** The most daily points in an answer, over all its series. */
const pointsOfAnswer = 120

/** Keeps the newest `most` points of a series. */
const newest = (series: HistorySeries, most: number): HistorySeries =>
  series.points.length <= most ? series : { ...series, points: series.points.slice(-most) }

/** The whole series as a file. */
const historyLink = Effect.fnUntraced(function* (
  symbol: string,
  metric: string,
  series: HistorySeries | undefined,
  selection: Parameters<typeof uriOf>[2]
) {
  const file = series === undefined ? "" : yield* historyCsv(symbol, metric, series)
  return linkTo({
    uri: uriOf("history", [symbol, metric], selection),
    name: `${symbol}-${metric}.csv`,
    title: `${metric} of ${symbol}, every day`,
    mimeType: "text/csv",
    size: Buffer.byteLength(file)
  })
})

export const getMetricHistory = define({
  name: "get_metric_history",
  title: "Daily history of a network",
  description:
    "Daily points of a network: the last accepted reading of each UTC day. A day without a reading is absent, never " +
    "interpolated. open: true marks a day that is not closed yet. Pass metric for one series, and as_known_at for the " +
    "answer as it was given at that time.",
  annotations: reads,
  sold: true,
  key: "widens",
  input: Schema.Struct({
    symbol,
    metric: text("a metric of get_data_dictionary; default the first by name"),
    days: Schema.optionalKey(
      Schema.Int.annotate({ description: "number of days, today among them, default 30" })
    ),
    before: text("YYYYMMDD: only points before it, to page back"),
    source: text("source label, if several measure it"),
    as_known_at: text("ISO 8601 date-time in UTC; the window ends on that day"),
    limit: limit(50, 1, "metrics"),
    cursor
  }),
  output: Schema.Struct({ ...HistoryResponse.fields, left_out: leftOut }),
  run: Effect.fnUntraced(function* ({ symbol: named, ...input }, call) {
    const before = input.before === undefined ? undefined : yield* dayOf("before", input.before)
    const limit = yield* wholeNumber("limit", input.limit, { min: 1, max: 50, fallback: 1 })
    const symbol = yield* knownSymbol("symbol", named)
    const request = { ...input, limit, network: symbol, access: yield* accessOf(call) }
    const response = yield* history({ ...request, before })
    const metrics = Object.entries(response.data[symbol] ?? {})
    const most = Math.max(1, Math.floor(pointsOfAnswer / Math.max(1, metrics.length)))
    const cut = metrics.filter(([, { points }]) => points.length > most)
    const from = cut.map(([, { points }]) => points.at(-most)?.date ?? "").sort()[0]
    const { as_known_at, days, source } = input
    // The files have every day of the window.
    const { data } =
      before === undefined || cut.length === 0 ? response : yield* history({ ...request, before: undefined })
    const links = yield* Effect.forEach(cut, ([metric]) =>
      historyLink(symbol, metric, data[symbol]?.[metric], { days, source, as_known_at })
    )
    const answer = {
      ...response,
      data: { [symbol]: Object.fromEntries(metrics.map(([name, one]) => [name, newest(one, most)])) },
      ...(from === undefined
        ? {}
        : {
            left_out: `Older points of ${cut.map(([name]) => name).join(", ")} (n_points, change_pct and change cover them all). Call again with before=${from}, or read all days: ${links.map(({ uri }) => uri).join(", ")}`
          })
    }
    return new Linked(answer, links)
  })
})
