/** `/v1/supply`: first-party telemetry, as a list or keyed by metric for one network. */
import { Effect } from "effect"
import * as DataClock from "../../clock/DataClock.ts"
import { hour } from "../../plugin/time.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { dependenciesOf } from "../../wire/data/dependency.ts"
import type {
  SupplyListResponse,
  SupplyMember,
  SupplyNetworkResponse,
  SupplyResponse
} from "../../wire/data/supply.ts"
import { ValueRow } from "../../wire/data/valueRow.ts"
import { columnsOf } from "../csv.ts"
import { type Access, accessNote, SampleSizes } from "./Access.ts"
import type { CurrentRow } from "./Current.ts"
import { freshness } from "./freshness.ts"
import { eachSymbol, isLive, type Listing, listing } from "./listing.ts"
import { isCatalogued, knownSymbol, notBoth, page, wholeNumber } from "./parameters.ts"
import { pickSource } from "./pickSource.ts"
import { type RightsBySource, rightsBySource } from "./rights.ts"
import { rungsOf } from "./rungs.ts"
import { sample } from "./sample.ts"
import { choose, type ListShape, pageOfRows, type Selection, sortedWithin, visibleTo } from "./selection.ts"
import { CacheValidators, Versions } from "./Versions.ts"
import { besideOf, marksOf, valueRow } from "./valueRow.ts"

type BySymbol = ReadonlyMap<string, ReadonlyArray<CurrentRow>>

const telemetryOf = eachSymbol((rows) => rows.filter(({ tier }) => tier === "supply_telemetry"))

/** First-party rows by symbol, symbols sorted. */
export const firstParty = ({ bySymbol }: Pick<Listing, "bySymbol">): BySymbol => {
  const before = telemetryCache.get(bySymbol)
  if (before !== undefined) return before
  const telemetry = new Map(
    [...bySymbol]
      .map(([symbol, rows]) => [symbol, telemetryOf(rows, symbol)] as const)
      .filter(([, rows]) => rows.length > 0)
      .sort(([a], [b]) => compare(a, b))
  )
  telemetryCache.set(bySymbol, telemetry)
  return telemetry
}

/** Whether somebody counted a value of a network within seven days: samples show such networks first. */
export const isLiveNetwork = ({ at, bySymbol }: Pick<Listing, "at" | "bySymbol">) => {
  const live = isLive(at)
  return (symbol: string): boolean => bySymbol.get(symbol)?.some(live) === true
}

/** Draws the day's sample of some networks (sorted) whose values lists show. */
export const valueSample = Effect.fnUntraced(function* (list: Listing) {
  const { supply: size } = yield* SampleSizes
  const preferred = { isLive: isLiveNetwork(list) }
  return (symbols: ReadonlyArray<string>) => sample(symbols, size, list.today, preferred)
})

const telemetryCache = new WeakMap<BySymbol, BySymbol>()

const counts = (networks: BySymbol, at: number): Counts => ({
  n_networks: networks.size,
  n_networks_available: [...networks.values()].filter((rows) => rows.some(isLive(at))).length
})

type Counts = Pick<SupplyListResponse, "n_networks" | "n_networks_available">

/**
 * The counts of keyed answers: of all networks at one time, whenever each of them changed. New values come several times a
 * second and hardly ever change them, so the rows are not counted again with each.
 */
const countsOfAll = Effect.gen(function* () {
  const versions = yield* Versions
  const now = yield* DataClock.now
  const before = counted.get(versions)
  if (before?.validators.holds(now) === true) return before.counts
  const validators = new CacheValidators(dependenciesOf.networkCounts.map(versions.cell), now)
  const totals = counts(firstParty(yield* listing), yield* versions.changedAt(["clock"]))
  counted.set(versions, { validators, counts: totals })
  return totals
})

const counted = new WeakMap<
  Versions["Service"],
  { readonly validators: CacheValidators; readonly counts: Counts }
>()

const most = { max: 1000, fallback: 1000 }

const shape: ListShape<ValueRow> = {
  columns: columnsOf(ValueRow),
  order: "key",
  key: ({ metric, source, symbol }) => `${symbol}!${metric}!${source}`,
  limit: most,
  past: () => false
}

/** A page of whole networks; `cursor` is the last one before. With `sort`, a page of rows. */
const rowsOfPage = Effect.fnUntraced(function* (
  rowsBySymbol: ReadonlyMap<string, ReadonlyArray<ValueRow>>,
  { cursor, limit: raw, sort }: Selection
) {
  if (sort !== undefined) {
    const { items, next } = yield* pageOfRows(
      [...rowsBySymbol.values()].flat(),
      { cursor, limit: raw, sort },
      shape
    )
    return { rows: items, nShown: new Set(items.map(({ symbol }) => symbol)).size, next }
  }
  const limit = yield* wholeNumber("limit", raw, { min: 1, ...most })
  const networks = [...rowsBySymbol.keys()]
  const { items, next } = yield* page(networks, (symbol) => symbol, limit, cursor, isCatalogued)
  return { rows: items.flatMap((symbol) => rowsBySymbol.get(symbol) ?? []), nShown: items.length, next }
})

/** The list, or its sample. Fails with `BadParameter` and `UnknownSymbol`. */
export const supplyList = Effect.fn("Data.supplyList")(function* (
  options: Selection & { readonly access: Access }
) {
  const list = yield* listing
  const rightsOf = yield* rightsBySource
  const networks = firstParty(list)
  const chosen = yield* choose(options, (metric) =>
    networks.values().some((rows) => rows.some(({ row }) => row.metric === metric))
  )
  const rowsChosen = (symbol: string) =>
    (networks.get(symbol) ?? []).filter(({ row }) => chosen.hasMetric(row.metric))
  const matching = [...networks.keys()].filter(
    (symbol) => chosen.hasSymbol(symbol) && rowsChosen(symbol).length > 0
  )
  const { hidden, visible } = visibleTo(matching, {
    breadth: options.access.breadth,
    named: chosen.symbols,
    sampleOf: yield* valueSample(list),
    today: list.today
  })
  const rungOf = yield* rungsOf(visible.flatMap(rowsChosen))
  const rowsBySymbol = new Map(
    visible.map((symbol) => [
      symbol,
      rowsChosen(symbol).map((row) => ({ ...valueRow(row), ...rightsOf(row.row.source), ...rungOf(row) }))
    ])
  )
  const { next, nShown, rows } = yield* rowsOfPage(rowsBySymbol, options)
  const response: SupplyListResponse = {
    ...sortedWithin(options.sort, visible.length, matching.length),
    generated_utc: isoTime(list.at),
    supply: rows,
    n_networks_shown: nShown,
    ...counts(networks, list.at),
    access: accessNote(options.access),
    ...(hidden.length === 0 ? {} : { not_shown: hidden }),
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})

/** Of one network a metric has one row, that of the source that stands for it. */
const keyedShape: ListShape<CurrentRow> = {
  columns: shape.columns,
  order: "key",
  key: ({ row }) => row.metric,
  limit: most,
  // A series may end between two pages.
  past: (cursor) => /^\w+$/.test(cursor)
}

/**
 * One network, keyed by metric, with ages at `generated_utc`; in the sample or not. `limit` and `cursor` are of metrics.
 * Fails with `BadParameter` and `UnknownSymbol`.
 */
export const supplyOf = Effect.fn("Data.supplyOf")(function* ({
  access,
  network: named,
  symbols,
  ...selection
}: Selection & { readonly access: Access; readonly network: string }) {
  yield* notBoth("symbols", symbols, "network", named)
  const network = yield* knownSymbol("network", named)
  const list = yield* listing
  const versions = yield* Versions
  const now = yield* versions.changedAt(dependenciesOf.supply([network]))
  const rows = telemetryOf(list.bySymbol.get(network) ?? [], network)
  const chosen = yield* choose(selection, (metric) => rows.some(({ row }) => row.metric === metric))
  const matching = rows.filter(({ row }) => chosen.hasSymbol(network) && chosen.hasMetric(row.metric))
  const one = [...Map.groupBy(matching, ({ row }) => row.metric)].flatMap(([metric, of]) => {
    const candidates = of.map((row) => ({ source: row.row.source, asOf: row.asOf, row }))
    return pickSource(network, metric, candidates)?.row ?? []
  })
  const rightsOf = yield* rightsBySource
  const rungOf = yield* rungsOf(one)
  const { items, next } = yield* pageOfRows(one, selection, {
    ...keyedShape,
    member: (row, column) =>
      Reflect.get({ ...valueRow(row), ...rightsOf(row.row.source), ...rungOf(row) }, column)
  })
  const response: SupplyNetworkResponse = {
    generated_utc: isoTime(now),
    network,
    supply: Object.fromEntries(
      items.map((row) => [row.row.metric, { ...member(row, now, rightsOf), ...rungOf(row) }])
    ),
    n_networks_shown: items.length > 0 ? 1 : 0,
    ...(yield* countsOfAll),
    access: accessNote(access),
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})

const member = (current: CurrentRow, now: number, rightsOf: RightsBySource): SupplyMember => {
  const { asOf, readUrl, row } = current
  return {
    value: row.value,
    ...(row.value_text === undefined ? {} : { value_text: row.value_text }),
    unit: row.unit,
    source: row.source,
    as_of: row.as_of,
    // An upstream's clock may run minutes ahead of ours; no value is younger than now.
    age_hours: Math.round((Math.max(0, now - asOf) / hour) * 1e4) / 1e4,
    freshness: freshness(now - asOf),
    verify_url: row.verify_url,
    verify_yourself: readUrl,
    ...marksOf(current),
    ...besideOf(current),
    ...rightsOf(row.source)
  }
}

/** `/v1/supply`: the keyed form where `network` names one, else the list. */
export const supply = (
  options: Selection & { readonly access: Access; readonly network?: string | undefined }
) =>
  Effect.gen(function* () {
    const { network } = options
    const response: SupplyResponse =
      network === undefined ? yield* supplyList(options) : yield* supplyOf({ ...options, network })
    return response
  })

/** The rows of an answer in either form, as the list has them. */
export const supplyRows = (answer: SupplyResponse): ReadonlyArray<ValueRow> =>
  "network" in answer
    ? Object.entries(answer.supply).map(
        ([metric, { age_hours: _, freshness: __, verify_yourself: ___, ...member }]) => ({
          symbol: answer.network,
          metric,
          ...member
        })
      )
    : answer.supply
