/** `/v1/networks` and `/try`: the catalog, with how much of it is measured. */
import { Effect } from "effect"
import { networks as catalog, isDepin, type Network, uncovered } from "../../catalog/Catalog.ts"
import { isSubnet } from "../../catalog/kindOf.ts"
import { folded } from "../../catalog/lookup.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { NetworkRow, type NetworksResponse, type TryResponse, type TryRow } from "../../wire/data/networks.ts"
import { columnsOf } from "../csv.ts"
import { Feeds } from "../Feeds.ts"
import { type Access, accessNote, SampleSizes } from "./Access.ts"
import { isLive, type Listing, listing } from "./listing.ts"
import { isCatalogued, wholeNumber } from "./parameters.ts"
import { rightsBySource } from "./rights.ts"
import { sample } from "./sample.ts"
import { search } from "./search.ts"
import {
  type Chosen,
  choose,
  type ListShape,
  pageOfRows,
  placeAfter,
  type Selection,
  sortedWithin,
  visibleTo
} from "./selection.ts"
import { firstParty, isLiveNetwork, valueSample } from "./supply.ts"
import { isFirstParty, liveRowsOf, rankOfTier, telemetryTierOf } from "./telemetryTier.ts"

const sorted: ReadonlyArray<Network> = catalog.toSorted((a, b) => compare(a.symbol, b.symbol))
const symbols = sorted.map(({ symbol }) => symbol)

const networkRow = (network: Network, list: Listing): NetworkRow => ({
  symbol: network.symbol,
  name: network.name,
  category: network.category,
  telemetry_tier: telemetryTierOf(network.symbol, list),
  live_series: liveRowsOf(network.symbol, list).length,
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

/** Of these reasons, those of the networks of a page. */
export const reasonsOf = (reasons: Readonly<Record<string, string>>, symbols: Iterable<string>) =>
  Object.fromEntries(
    [...new Set(symbols)].flatMap((symbol) => {
      const reason = reasons[symbol]
      return reason === undefined ? [] : [[symbol, reason]]
    })
  )

const networkBySymbol = new Map(sorted.map((network) => [network.symbol, network]))

/** Networks in list order: measured ones first, those only listed last. */
const measuredFirst = (networks: ReadonlyArray<Network>, list: Listing): ReadonlyArray<Network> => {
  const ranks = new Map(
    networks.map((network) => [network, rankOfTier[telemetryTierOf(network.symbol, list)]])
  )
  return networks.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
}

/** Every network of the catalog, in list order. */
export const catalogRows = (list: Listing): ReadonlyArray<NetworkRow> =>
  measuredFirst(sorted, list).map((network) => networkRow(network, list))

/** Matches of a search that are shown in full, whether they are in the sample or not: a search names what it wants. */
const shownInFull = 20

/** Limit of `also_matching`. */
export const mostBeside = 100

const most = { max: 2000, fallback: 2000 }

const shape: ListShape<NetworkRow> = {
  columns: columnsOf(NetworkRow),
  order: "list",
  key: ({ symbol }) => symbol,
  limit: most,
  past: isCatalogued
}

/** Whether any network has a metric. */
export const measuredIn = (list: Listing) => (metric: string) =>
  list.rows.some(({ row }) => row.metric === metric)

/** Whether any chosen metric of a network is measured. */
export const measures = (chosen: Chosen, list: Listing, symbol: string): boolean =>
  chosen.metrics === undefined ||
  (list.bySymbol.get(symbol) ?? []).some(({ row }) => chosen.hasMetric(row.metric))

/** Draws the day's sample of some networks (sorted): those with telemetry whose values lists show are in it. */
export const networkSample = Effect.fnUntraced(function* (list: Listing) {
  const { networks: size } = yield* SampleSizes
  const ofValues = yield* valueSample(list)
  const telemetry = firstParty(list)
  const isLive = isLiveNetwork(list)
  return (symbols: ReadonlyArray<string>): ReadonlyArray<string> =>
    sample(symbols, size, list.today, {
      first: ofValues(symbols.filter((symbol) => telemetry.has(symbol))),
      isLive
    })
})

/** The networks in list order after a cursor, and the next cursor. */
const inListOrder = Effect.fnUntraced(function* (
  matches: ReadonlyArray<Network>,
  isVisible: (network: Network) => boolean,
  { cursor, limit: raw }: Pick<Selection, "cursor" | "limit">,
  list: Listing
) {
  const limit = yield* wholeNumber("limit", raw, { min: 1, ...most })
  const from = yield* placeAfter(
    matches.map(({ symbol }) => symbol),
    cursor
  )
  const rest = matches.slice(from).filter(isVisible)
  const items = rest.slice(0, limit).map((network) => networkRow(network, list))
  return { items, next: rest.length > limit ? items.at(-1)?.symbol : undefined }
})

/**
 * The catalog, or its sample. Fails with `BadParameter` and `UnknownSymbol`. Without `sort`, `cursor` is the last symbol of the
 * previous page. With `query`, the networks that any of its words describes and the series that answer it. The first matches
 * are shown even outside today's sample, and so are up to 12 networks that `symbols` names; of others outside it only the symbols are listed.
 */
export const networks = Effect.fn("Data.networks")(function* (
  options: Selection & { readonly access: Access; readonly query?: string | undefined }
) {
  const list = yield* listing
  const chosen = yield* choose(options, measuredIn(list))
  const { visible } = visibleTo(
    symbols.filter((symbol) => chosen.hasSymbol(symbol) && measures(chosen, list, symbol)),
    {
      breadth: options.access.breadth,
      named: chosen.symbols,
      sampleOf: yield* networkSample(list),
      today: list.today
    }
  )
  const only = new Set(visible)
  const query = folded(options.query ?? "")
  const searched = query === "" ? undefined : yield* search(options.query ?? "", chosen)
  const described =
    searched === undefined
      ? measuredFirst(sorted, list)
      : searched.networks.flatMap((symbol) => networkBySymbol.get(symbol) ?? [])
  const matches = chosen.isAll
    ? described
    : described.filter(({ symbol }) => chosen.hasSymbol(symbol) && measures(chosen, list, symbol))
  const inFull = new Set(searched?.networks.slice(0, shownInFull))
  const isVisible = ({ symbol }: Network): boolean => only.has(symbol) || inFull.has(symbol)
  const beside =
    searched === undefined && chosen.symbols === undefined
      ? []
      : matches.filter((network) => !isVisible(network)).map(({ symbol }) => symbol)
  const { items, next } =
    options.sort === undefined
      ? yield* inListOrder(matches, isVisible, options, list)
      : yield* pageOfRows(
          matches.filter(isVisible).map((network) => networkRow(network, list)),
          options,
          shape
        )
  const reasons = yield* notCovered(list.bySymbol)
  const rightsOf = yield* rightsBySource
  const isWhole =
    searched === undefined && options.cursor === undefined && options.limit === undefined && chosen.isAll
  const response: NetworksResponse = {
    ...sortedWithin(options.sort, matches.filter(isVisible).length, matches.length),
    generated_utc: isoTime(list.at),
    networks: items,
    n_networks_shown: items.length,
    n_networks: symbols.length,
    not_covered: isWhole
      ? reasons
      : reasonsOf(
          reasons,
          items.map(({ symbol }) => symbol)
        ),
    access: accessNote(options.access),
    ...(searched === undefined ? {} : { n_matching: matches.length }),
    ...(searched === undefined || options.cursor !== undefined
      ? {}
      : {
          ...(searched.note === undefined ? {} : { note: searched.note }),
          answers: searched.answers.map((answer) => ({ ...answer, ...rightsOf(answer.source) })),
          ...(searched.pages.length === 0 ? {} : { pages: searched.pages.map(({ path }) => path) }),
          ...(searched.unmeasured.length === 0 ? {} : { not_measured: searched.unmeasured })
        }),
    ...(beside.length === 0 ? {} : { also_matching: beside.slice(0, mostBeside) }),
    ...(next === undefined ? {} : { next_cursor: next })
  }
  return response
})

/**
 * Three networks to start with: telemetry first, then the most live series, from different categories while there are
 * enough. Never subnets, and no baselines.
 */
export const showcase: Effect.Effect<TryResponse, never, Effect.Services<typeof listing>> = Effect.gen(
  function* () {
    const list = yield* listing
    const rows = sorted
      .filter((network) => list.bySymbol.has(network.symbol) && !isSubnet(network.symbol) && isDepin(network))
      .flatMap((network): ReadonlyArray<TryRow> => {
        const of = list.bySymbol.get(network.symbol) ?? []
        const first =
          of.find((row) => isFirstParty(row) && isLive(list.at)(row)) ?? of.find(isLive(list.at)) ?? of[0]
        return first === undefined ? [] : [{ ...networkRow(network, list), verify_url: first.row.verify_url }]
      })
      .toSorted(
        (a, b) => rankOfTier[a.telemetry_tier] - rankOfTier[b.telemetry_tier] || b.live_series - a.live_series
      )
    const others = new Set<string>()
    const firstOfCategory = rows.filter(({ category }) => {
      const repeated = others.has(category)
      others.add(category)
      return !repeated
    })
    const chosen = [...new Set([...firstOfCategory, ...rows])]
      .toSorted((a, b) => rankOfTier[a.telemetry_tier] - rankOfTier[b.telemetry_tier])
      .slice(0, 3)
    return { generated_utc: isoTime(list.at), networks: chosen }
  }
)
