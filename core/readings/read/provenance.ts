/** `/v1/provenance`: the source of each series, the networks not covered, and the series withheld. */
import { Duration, Effect } from "effect"
import { suppressed } from "../../catalog/suppressed.ts"
import * as DataClock from "../../clock/DataClock.ts"
import { hour } from "../../plugin/time.ts"
import { isoTime } from "../../plugin/Value.ts"
import type { SecondValue } from "../../wire/data/disagreement.ts"
import { ProvenanceRecord, type ProvenanceResponse } from "../../wire/data/provenance.ts"
import { columnsOf } from "../csv.ts"
import { Feeds } from "../Feeds.ts"
import type { CurrentRow } from "./Current.ts"
import { disagreements } from "./disagreements.ts"
import { isStale } from "./freshness.ts"
import { type Listing, listing } from "./listing.ts"
import { notCovered, reasonsOf } from "./networks.ts"
import { isCatalogued, knownSymbol, notBoth } from "./parameters.ts"
import { type RightsBySource, rightsBySource } from "./rights.ts"
import { choose, type ListShape, pageOfRows, type Selection } from "./selection.ts"
import { marksOf } from "./valueRow.ts"

/** Sorts like the list: `!` comes before every character of a name. */
const keyOf = ({ row }: CurrentRow): string => `${row.symbol}!${row.metric}!${row.source}`

/** True for what can be the key of a series that is gone since. */
const isKey = (cursor: string): boolean => {
  const [symbol = "", metric = "", source = ""] = cursor.split("!")
  return isCatalogued(symbol) && metric !== "" && source !== ""
}

/** Milliseconds between two runs, by plugin; a plugin that is no feed any more has no cadence to be late against. */
const cadences = Effect.gen(function* () {
  const { manifests } = yield* Feeds
  const byPlugin = new Map(manifests.map(({ every, id }) => [id, Duration.toMillis(every)]))
  return (plugin: string) => byPlugin.get(plugin) ?? Number.POSITIVE_INFINITY
})

interface ProvenanceParams extends Selection {
  readonly network?: string | undefined
}

const shape: Omit<ListShape<CurrentRow>, "member"> = {
  columns: columnsOf(ProvenanceRecord),
  order: "key",
  key: keyOf,
  limit: { max: 25_000, fallback: 25_000 },
  past: isKey
}

/** The series that a caller names. */
const chosenRows = Effect.fnUntraced(function* (
  { network: named, ...filter }: ProvenanceParams,
  list: Listing
) {
  yield* notBoth("symbols", filter.symbols, "network", named)
  const network = named === undefined ? undefined : yield* knownSymbol("network", named)
  const all = network === undefined ? list.rows : (list.bySymbol.get(network) ?? [])
  const chosen = yield* choose(filter, (metric) => all.some(({ row }) => row.metric === metric))
  return {
    // The same list for the same snapshot, if nothing is left out of it.
    all: chosen.isAll
      ? all
      : all.filter(({ row }) => chosen.hasSymbol(row.symbol) && chosen.hasMetric(row.metric)),
    symbols: network === undefined ? chosen.symbols : new Set([network]),
    isAll: network === undefined && chosen.isAll
  }
})

/** The rows of a page, and what an answer says before and after their records. */
const pageOf = Effect.fnUntraced(function* (params: ProvenanceParams) {
  const now = yield* DataClock.now
  const cadence = yield* cadences
  const list = yield* listing
  const isStaleRow = ({ asOf, plugin }: CurrentRow) => isStale(now - asOf, cadence(plugin))
  const { all, isAll, symbols } = yield* chosenRows(params, list)
  const rightsOf = yield* rightsBySource
  const { items, next } = yield* pageOfRows(all, params, {
    ...shape,
    member: (row, column) => Reflect.get(recordOf(row, isStaleRow(row), undefined, rightsOf), column)
  })
  const reasons = yield* notCovered(list.bySymbol)
  const seconds = new Map<CurrentRow, SecondValue>()
  for (const symbol of new Set(items.map(({ row }) => row.symbol)))
    for (const [row, second] of yield* disagreements(list.bySymbol.get(symbol) ?? []))
      seconds.set(row, second)
  return {
    items,
    seconds,
    rightsOf,
    isStale: isStaleRow,
    generated_utc: isoTime(list.at),
    rest: {
      n_records_shown: items.length,
      n_records: all.length,
      not_covered:
        isAll && params.cursor === undefined && params.limit === undefined
          ? reasons
          : reasonsOf(reasons, symbols ?? items.map(({ row }) => row.symbol)),
      suppressed_series: suppressed,
      ...(next === undefined ? {} : { next_cursor: next })
    }
  }
})

const recordOf = (
  current: CurrentRow,
  staleness_flag: boolean,
  second: SecondValue | undefined,
  rightsOf: RightsBySource
): ProvenanceRecord => {
  const { as_of, metric, source, symbol, verify_url } = current.row
  return {
    symbol,
    metric,
    source,
    verify_url,
    as_of,
    staleness_flag,
    ...(second === undefined ? {} : { disagrees_with: second }),
    ...marksOf(current),
    ...rightsOf(source)
  }
}

/** One record for each series, with staleness as of now. Fails with `UnknownSymbol` and `BadParameter`. */
export const provenance = Effect.fn("Data.provenance")(function* (params: ProvenanceParams = {}) {
  const { generated_utc, isStale, items, rest, rightsOf, seconds } = yield* pageOf(params)
  const response: ProvenanceResponse = {
    generated_utc,
    provenance: items.map((row) => recordOf(row, isStale(row), seconds.get(row), rightsOf)),
    ...rest
  }
  return response
})

/** The bytes of a row's record with the comma before it. Of thousands of series a few change between two answers, and few are contradicted. */
const records = new WeakMap<CurrentRow, { readonly stale: boolean; readonly bytes: Uint8Array }>()

const encoder = new TextEncoder()

const recordBytes = (
  row: CurrentRow,
  stale: boolean,
  second: SecondValue | undefined,
  rightsOf: RightsBySource
): Uint8Array => encoder.encode(`,${JSON.stringify(recordOf(row, stale, second, rightsOf))}`)

const bytesOf = (row: CurrentRow, stale: boolean, rightsOf: RightsBySource): Uint8Array => {
  const before = records.get(row)
  if (before?.stale === stale) return before.bytes
  const bytes = recordBytes(row, stale, undefined, rightsOf)
  records.set(row, { stale, bytes })
  return bytes
}

/** The same as JSON in UTF-8, in which the record of a series is written once and not for each answer. */
export const provenanceBytes = Effect.fn("Data.provenanceBytes")(function* (params: ProvenanceParams = {}) {
  const { generated_utc, isStale, items, rest, rightsOf, seconds } = yield* pageOf(params)
  const bytes = Buffer.concat([
    encoder.encode(`{"generated_utc":${JSON.stringify(generated_utc)},"provenance":[`),
    // The first record has no comma before it.
    ...items.map((row, n) => {
      const second = seconds.get(row)
      const record =
        second === undefined
          ? bytesOf(row, isStale(row), rightsOf)
          : recordBytes(row, isStale(row), second, rightsOf)
      return n === 0 ? record.subarray(1) : record
    }),
    encoder.encode(`],${JSON.stringify(rest).slice(1)}`)
  ])
  return { bytes, next_cursor: rest.next_cursor }
})

/**
 * Epoch milliseconds until which `provenance` gives the same answers while the list's key stands: then the next series
 * turns stale. Infinity when none can.
 */
export const provenanceHoldsUntil: Effect.Effect<number, never, Effect.Services<typeof listing> | Feeds> =
  Effect.gen(function* () {
    const now = yield* DataClock.now
    const cadence = yield* cadences
    const { rows } = yield* listing
    return rows.reduce((earliest, { asOf, plugin }) => {
      const flip = asOf + Math.min(26 * hour, 2 * cadence(plugin) + 1)
      return flip > now && flip < earliest ? flip : earliest
    }, Number.POSITIVE_INFINITY)
  })
