/** `/v1/networks` and `/try`: the catalog with what is measured of it. */
import { Effect } from "effect"
import { networks as catalog, type Network, subnetSymbols, uncovered } from "../../catalog/Catalog.ts"
import { folded, searchNetworks } from "../../catalog/lookup.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import type {
  NetworkRow,
  NetworksResponse,
  TelemetryTier,
  TryResponse,
  TryRow
} from "../../wire/data/networks.ts"
import { BadParameter } from "../../wire/problems/request.ts"
import { Feeds } from "../Feeds.ts"
import { type Access, accessNote, SampleSizes } from "./Access.ts"
import type { CurrentRow } from "./Current.ts"
import { isLive, type Listing, listing } from "./listing.ts"
import { type Raw, wholeNumber } from "./parameters.ts"
import { sample } from "./sample.ts"

const sorted: ReadonlyArray<Network> = catalog.toSorted((a, b) => compare(a.symbol, b.symbol))
const symbols = sorted.map(({ symbol }) => symbol)

const subnets = new Set(subnetSymbols)

const isFirstParty = ({ tier }: CurrentRow): boolean => tier === "supply_telemetry"

/** Only what is live counts: a network whose last telemetry is a week old has none. */
const liveOf = ({ symbol }: Network, { at, bySymbol }: Listing): ReadonlyArray<CurrentRow> =>
  (bySymbol.get(symbol) ?? []).filter(isLive(at))

const tierOf = (network: Network, list: Listing): TelemetryTier => {
  const live = liveOf(network, list)
  if (live.length === 0) return "catalog_only"
  return live.some(isFirstParty) ? "first_party" : "market_only"
}

const networkRow = (network: Network, list: Listing): NetworkRow => ({
  symbol: network.symbol,
  name: network.name,
  category: network.category,
  telemetry_tier: tierOf(network, list),
  live_series: liveOf(network, list).length,
  stamped_on_chain: list.stamped.has(network.symbol)
})

/** `uncovered` for the feeds there are, without the networks that have telemetry all the same. */
export const notCovered = Effect.fnUntraced(function* (bySymbol: Listing["bySymbol"]) {
  const { manifests } = yield* Feeds
  const reasons: Record<string, string> = {}
  for (const [symbol, reason] of [...uncovered(manifests)].sort(([a], [b]) => compare(a, b))) {
    if (bySymbol.get(symbol)?.some(isFirstParty) !== true) reasons[symbol] = reason
  }
  return reasons
})

const known = new Map(sorted.map((network) => [network.symbol, network]))

/** Networks in the order of a list: what is measured leads, and what is only listed comes last. */
const measuredFirst = (networks: ReadonlyArray<Network>, list: Listing): ReadonlyArray<Network> => {
  const ranks = new Map(networks.map((network) => [network, rank[tierOf(network, list)]]))
  return networks.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
}

/** The networks that a search finds: the one that is named first, the others with the best match first. */
const matching = (query: string, list: Listing): ReadonlyArray<Network> => {
  const found = searchNetworks(query).flatMap((symbol) => known.get(symbol) ?? [])
  const [named = [], others = []] = [true, false].map((is) =>
    found.filter((one) => isNamed(one, query) === is)
  )
  return [...named, ...measuredFirst(others, list)]
}

/** True where the text is the network's symbol or name. */
const isNamed = ({ name, symbol }: Network, query: string): boolean =>
  folded(symbol) === query || folded(name) === query

/** Where the network that a cursor names is followed by the next. */
const placeAfter = (networks: ReadonlyArray<Network>, cursor: string | undefined) => {
  if (cursor === undefined) return Effect.succeed(0)
  const place = networks.findIndex(({ symbol }) => symbol === cursor)
  const valid = "next_cursor of the page before, with the same query"
  const message = `cursor: it is not ${valid}.`
  return place < 0
    ? Effect.fail(new BadParameter({ field: "cursor", message, valid }))
    : Effect.succeed(place + 1)
}

/** Symbols beside the rows of a search. */
export const mostBeside = 100

/**
 * The catalog, or its sample. Fails with `BadParameter`. `cursor` is the last symbol of the page before. With `query`
 * those that any word of it describes; one whose symbol or name it is, is found whether it is in today's sample or not, and of the others
 * outside the sample the symbols are told.
 */
export const networks = Effect.fn("Data.networks")(function* (options: {
  readonly access: Access
  readonly query?: string | undefined
  readonly limit?: Raw
  readonly cursor?: string | undefined
}) {
  const limit = yield* wholeNumber("limit", options.limit, { min: 1, max: 2000, fallback: 2000 })
  const list = yield* listing
  const sizes = yield* SampleSizes
  const shown = options.access.breadth === "all" ? symbols : sample(symbols, sizes.networks, list.today)
  const only = new Set(shown)
  const query = folded(options.query ?? "")
  const found = query === "" ? measuredFirst(sorted, list) : matching(query, list)
  const isShown = (network: Network): boolean =>
    only.has(network.symbol) || (query !== "" && isNamed(network, query))
  const beside = query === "" ? [] : found.filter((network) => !isShown(network)).map(({ symbol }) => symbol)
  const from = yield* placeAfter(found, options.cursor)
  const rest = found.slice(from).filter(isShown)
  const items = rest.slice(0, limit)
  const next = rest.length > limit ? items.at(-1)?.symbol : undefined
  const reasons = yield* notCovered(list.bySymbol)
  const response: NetworksResponse = {
    generated_utc: isoTime(list.at),
    networks: items.map((network) => networkRow(network, list)),
    n_networks_shown: items.length,
    n_networks: symbols.length,
    not_covered:
      query === ""
        ? reasons
        : Object.fromEntries(
            items.flatMap(({ symbol }) => {
              const reason = reasons[symbol]
              return reason === undefined ? [] : [[symbol, reason]]
            })
          ),
    access: accessNote(options.access),
    ...(query === "" ? {} : { n_matching: found.length }),
    ...(beside.length === 0 ? {} : { also_matching: beside.slice(0, mostBeside) }),
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})

/**
 * Three networks to begin with: those with telemetry before others, then those with the most live series, each of
 * another category while there are enough. No subnet is among them.
 */
export const showcase: Effect.Effect<TryResponse, never, Effect.Services<typeof listing>> = Effect.gen(
  function* () {
    const list = yield* listing
    const rows = sorted
      .filter(({ symbol }) => list.bySymbol.has(symbol) && !subnets.has(symbol))
      .flatMap((network): ReadonlyArray<TryRow> => {
        const of = list.bySymbol.get(network.symbol) ?? []
        const first =
          of.find((row) => isFirstParty(row) && isLive(list.at)(row)) ?? of.find(isLive(list.at)) ?? of[0]
        return first === undefined ? [] : [{ ...networkRow(network, list), verify_url: first.row.verify_url }]
      })
      .toSorted((a, b) => rank[a.telemetry_tier] - rank[b.telemetry_tier] || b.live_series - a.live_series)
    const others = new Set<string>()
    const firstOfCategory = rows.filter(({ category }) => {
      const seen = others.has(category)
      others.add(category)
      return !seen
    })
    const chosen = [...new Set([...firstOfCategory, ...rows])]
      .toSorted((a, b) => rank[a.telemetry_tier] - rank[b.telemetry_tier])
      .slice(0, 3)
    return { generated_utc: isoTime(list.at), networks: chosen }
  }
)

const rank: Readonly<Record<TelemetryTier, number>> = { first_party: 0, market_only: 1, catalog_only: 2 }
