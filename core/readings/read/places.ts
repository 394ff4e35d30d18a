/** Where networks say that their nodes are: by country, on one closed day. */
import { Effect } from "effect"
import { bySymbol } from "../../catalog/Catalog.ts"
import { compare } from "../../plugin/Value.ts"
import { dayCounts } from "./byDefinition.ts"
import { daysBetween, lastClosedDay } from "./days.ts"
import { daysKnownAt } from "./knownAt.ts"
import { listing } from "./listing.ts"
import { isDay } from "./parameters.ts"
import { pickSource } from "./pickSource.ts"
import { RecentDays, type SeriesRow } from "./RecentDays.ts"
import { unconfirmedThen } from "./standings.ts"

const prefix = "nodes_country_"

/** One network's account of its nodes. */
export interface Places {
  readonly symbol: string
  readonly name: string
  readonly source: string
  /** When it was read, the newest of the day. */
  readonly asOf: Date
  readonly verifyUrl: string
  readonly simulated: boolean
  /** By ISO 3166-1 letters, none below 1. */
  readonly nodes: ReadonlyMap<string, number>
  /** Nodes without a country; undefined where nobody says. */
  readonly elsewhere: number | undefined
}

export interface PlacesOfDay {
  /** `YYYY-MM-DD`. */
  readonly date: string
  /** By symbol. */
  readonly networks: ReadonlyArray<Places>
  /** In how many of the networks a country appears, by its letters. Counts of different networks are never added. */
  readonly present: ReadonlyMap<string, number>
  /** Symbols whose places are left out, because their feed is unconfirmed, or was so at that time. */
  readonly leftOut: ReadonlyArray<string>
}

/** Rows of one statement: more than all countries of all networks. */
const mostRows = 20_000

const isPlace = ({ metric }: SeriesRow): boolean => metric.startsWith(prefix)

/** The series whose feed is unconfirmed, or was so at a time, epoch milliseconds. */
const unconfirmedSeries = Effect.fnUntraced(function* (knownAt: number | undefined) {
  const { rows } = yield* listing
  const isUnconfirmed = knownAt === undefined ? undefined : yield* unconfirmedThen
  return new Set(
    rows.flatMap(({ plugin, series, unconfirmed }) =>
      (
        knownAt === undefined || isUnconfirmed === undefined
          ? unconfirmed
          : isUnconfirmed(plugin, series, knownAt)
      )
        ? [series]
        : []
    )
  )
})

/**
 * The places of a closed day, of the newest without one; undefined where the day is none, or not closed. With `knownAt`, epoch
 * milliseconds, as they were known then: a day that was not closed at that time is none.
 */
export const placesOf = Effect.fn("Data.placesOf")(function* (named: string | undefined, knownAt?: number) {
  const registered = yield* (yield* RecentDays).memory
  const closed = knownAt === undefined ? registered.closed : yield* lastClosedDay(knownAt)
  const date = named ?? closed
  if (date === undefined || !isDay(date) || closed === undefined || date > closed) return undefined
  const at = Date.parse(date)
  const series = [...registered.all()].filter(isPlace)
  const ids = series.map(({ id }) => id)
  const window = { from: at, to: at }
  const days =
    knownAt === undefined
      ? (registered.between(ids, window) ?? (yield* daysBetween(ids, window, mostRows)))
      : (yield* daysKnownAt(ids, { ...window, knownAt }, mostRows)).rows
  const byId = new Map(series.map((one) => [one.id, one]))
  const unconfirmed = yield* unconfirmedSeries(knownAt)
  const rows = days.filter(dayCounts).flatMap((day) => {
    const of = byId.get(day.series)
    return of === undefined ? [] : [{ ...day, of }]
  })
  const counted = rows.filter(({ series }) => !unconfirmed.has(series))
  const networks = [...Map.groupBy(counted, ({ of }) => of.symbol)]
    .toSorted(([a], [b]) => compare(a, b))
    .flatMap(([symbol, all]): ReadonlyArray<Places> => {
      const candidates = [...Map.groupBy(all, ({ of }) => of.source)].map(([source, rows]) => ({
        source,
        asOf: Math.max(...rows.map(({ as_of }) => as_of.getTime())),
        rows
      }))
      const picked = pickSource(symbol, prefix, candidates)
      if (picked === undefined) return []
      // One reading is the whole map: a country that the newest one does not name has no nodes.
      const newest = picked.rows.filter(({ as_of }) => as_of.getTime() === picked.asOf)
      const [first] = newest
      if (first === undefined) return []
      const counts = newest.map(({ of, value }) => [of.metric.slice(prefix.length), value] as const)
      return [
        {
          symbol,
          name: bySymbol.get(symbol)?.name ?? symbol,
          source: picked.source,
          asOf: first.as_of,
          verifyUrl: first.verify_url,
          simulated: newest.some(({ simulated }) => simulated),
          nodes: new Map(counts.filter(([code, value]) => code !== "other" && value > 0)),
          elsewhere: counts.find(([code]) => code === "other")?.[1]
        }
      ]
    })
  const present = new Map<string, number>()
  for (const { nodes } of networks)
    for (const code of nodes.keys()) present.set(code, (present.get(code) ?? 0) + 1)
  const symbols = new Set(networks.map(({ symbol }) => symbol))
  const leftOut = new Set(rows.map(({ of }) => of.symbol).filter((symbol) => !symbols.has(symbol)))
  const result: PlacesOfDay = { date, networks, present, leftOut: [...leftOut].toSorted(compare) }
  return result
})
