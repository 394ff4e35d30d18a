/**
 * The figures of a list, of the answers that anyone can read: the catalog once, and the days of up to 50 networks in one
 * request. `/v1/history` shows a named network whole, whatever the sample of the day is.
 */
import type { HistoryResponse, HistorySeries } from "../../../../../core/wire/data/history.ts"
import { mostNames } from "../../../../../core/wire/data/selection.ts"
import type { SymbolRow, SymbolsResponse } from "../../../../../core/wire/data/symbols.ts"
import { type Watched, watchedText } from "../../../html/watch.ts"

export const days = 30

/** The members that a row shows, or its line is drawn from. */
const fields = "unit,points,n_points,change,change_pct,note"

/** Requests for one list. What a hand has written into it costs more of them, and never more than these. */
const mostRequests = 40

/** What is known of an entry: its figure, or why there is none. */
export interface WatchedFigure {
  readonly entry: Watched
  /** Of the network, where the catalog has it. */
  readonly name: string
  /** The metric that is shown: that of the entry, or what stands for the network. */
  readonly metric: string | undefined
  readonly series: HistorySeries | undefined
  /** Why there is no series. */
  readonly why: string | undefined
  /** False of a name that nothing has, which therefore has no page. */
  readonly exists: boolean
}

/** An entry whose metric is known. */
interface Requested extends Watched {
  readonly metric: string
}

class Refused extends Error {}

/** An answer as JSON. Throws `Refused` if the request names something that is not there. */
const read = async <A>(address: string): Promise<A> => {
  const response = await fetch(address)
  if (response.status === 400 || response.status === 404) throw new Refused()
  if (!response.ok) throw new Error(`the service answered ${response.status}`)
  return await response.json()
}

/** Parts of the list that fit into one request each: so many networks, and so many metrics. */
const partsOf = (all: ReadonlyArray<Requested>): ReadonlyArray<ReadonlyArray<Requested>> => {
  const parts: Array<Array<Requested>> = []
  for (const one of all) {
    const last = parts.at(-1)
    const sizeOf = (key: "symbol" | "metric") => new Set([...(last ?? []), one].map((each) => each[key])).size
    if (last === undefined || sizeOf("symbol") > mostNames || sizeOf("metric") > mostNames) parts.push([one])
    else last.push(one)
  }
  return parts
}

type SeriesByText = Map<string, HistorySeries>

const namesIn = (texts: ReadonlyArray<string>): string =>
  [...new Set(texts)].map(encodeURIComponent).join(",")

/** What is left of the requests of a list. */
interface Budget {
  left: number
}

/** Reads the days of some series. A part that is refused is halved, until what is not there is alone. */
const readPart = async (
  part: ReadonlyArray<Requested>,
  series: SeriesByText,
  refused: Set<string>,
  budget: Budget
): Promise<void> => {
  const address = `/v1/history?network=${namesIn(part.map(({ symbol }) => symbol))}&metrics=${namesIn(part.map(({ metric }) => metric))}&days=${days}&fields=${fields}`
  let cursor: string | undefined
  try {
    do {
      if (budget.left-- <= 0) return
      const page: HistoryResponse = await read(
        cursor === undefined ? address : `${address}&cursor=${encodeURIComponent(cursor)}`
      )
      for (const [symbol, metrics] of Object.entries(page.data))
        for (const [metric, one] of Object.entries(metrics)) series.set(watchedText({ symbol, metric }), one)
      cursor = page.next_cursor
    } while (cursor !== undefined)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const [first] = part
    if (part.length === 1 && first !== undefined) refused.add(watchedText(first))
    else {
      const half = Math.ceil(part.length / 2)
      await readPart(part.slice(0, half), series, refused, budget)
      await readPart(part.slice(half), series, refused, budget)
    }
  }
}

/** The metric to ask for; undefined where the catalog says already that there is none. */
const requestedOf = (entry: Watched, row: SymbolRow | undefined): Requested | undefined => {
  const metric = entry.metric ?? row?.headline
  return metric === undefined || (row !== undefined && !row.metrics.includes(metric))
    ? undefined
    : { symbol: entry.symbol, metric }
}

/** False of what neither the catalog nor the history knows. */
const isThere = (entry: Watched, row: SymbolRow | undefined, isRefused: boolean): boolean =>
  row === undefined ? entry.metric !== undefined && !isRefused : !isRefused

const whyNone = ({ metric }: Watched, row: SymbolRow | undefined): string =>
  row !== undefined && metric !== undefined && !row.metrics.includes(metric)
    ? "This metric is not measured of it now."
    : row !== undefined && metric === undefined && row.headline === undefined
      ? "Nothing is measured that stands for it."
      : `No reading in the last ${days} days.`

/** The figures of a list, in its order. Rejects if the service does not answer. */
export const figuresOf = async (entries: ReadonlyArray<Watched>): Promise<ReadonlyArray<WatchedFigure>> => {
  if (entries.length === 0) return []
  const catalog: SymbolsResponse = await read("/v1/symbols?fields=name,headline,metrics")
  const rows = new Map(catalog.symbols.map((row) => [row.symbol, row]))
  const requests = entries.flatMap((entry) => requestedOf(entry, rows.get(entry.symbol)) ?? [])
  // Only what is outside of the catalog can be refused: it does not spoil the rest.
  const [listed, others] = [
    requests.filter(({ symbol }) => rows.has(symbol)),
    requests.filter(({ symbol }) => !rows.has(symbol))
  ]
  const series: SeriesByText = new Map()
  const refused = new Set<string>()
  const budget: Budget = { left: mostRequests }
  for (const part of [...partsOf(listed), ...partsOf(others)]) await readPart(part, series, refused, budget)
  return entries.map((entry): WatchedFigure => {
    const row = rows.get(entry.symbol)
    const one = requestedOf(entry, row)
    const match = one === undefined ? undefined : series.get(watchedText(one))
    const exists = isThere(entry, row, one !== undefined && refused.has(watchedText(one)))
    return {
      entry,
      name: row?.name ?? entry.symbol,
      metric: one?.metric,
      series: match,
      why:
        match !== undefined
          ? undefined
          : exists
            ? whyNone(entry, row)
            : "There is no such network or metric.",
      exists
    }
  })
}
