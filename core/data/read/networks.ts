/** `/v1/networks` and `/try`: the catalog with what is measured of it (spec 2.3). */
import { Effect, Schema } from "effect"
import {
  Category,
  networks as catalog,
  type Network,
  subnetSymbols,
  uncovered
} from "../../catalog/Catalog.ts"
import { compare, isoTime } from "../../plugin/Value.ts"
import { Feeds } from "../Feeds.ts"
import { type Access, AccessNote, accessNote, SampleSizes } from "./Access.ts"
import type { CurrentRow } from "./Current.ts"
import { isLive, type Listing, listing } from "./listing.ts"
import { page, type Raw, wholeNumber } from "./parameters.ts"
import { sample } from "./sample.ts"
import { described } from "./valueRow.ts"

export const TelemetryTier = Schema.Literals(["first_party", "market_only", "catalog_only"])
export type TelemetryTier = typeof TelemetryTier.Type

const row = {
  symbol: described.symbol,
  name: Schema.String.annotate({ description: "Name of the network" }),
  category: Category.annotate({ description: "What the network offers" }),
  telemetry_tier: TelemetryTier.annotate({
    description:
      "`first_party`: its own telemetry is measured; `market_only`: only market, fee, holder or developer series; " +
      "`catalog_only`: listed, nothing measured"
  }),
  live_series: Schema.Natural.annotate({ description: "Series with a value younger than 7 days" }),
  stamped_on_chain: Schema.Boolean.annotate({
    description: "True when a value of the network lies in a batch whose Bitcoin anchor is confirmed"
  })
}

export const NetworkRow = Schema.Struct(row).annotate({
  identifier: "NetworkRow",
  description: "One network of the catalog"
})
export interface NetworkRow extends Schema.Schema.Type<typeof NetworkRow> {}

export const NetworksResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  networks: Schema.Array(NetworkRow).annotate({ description: "Networks of the catalog, sorted by symbol" }),
  n_networks_shown: Schema.Natural.annotate({ description: "Networks in this answer" }),
  n_networks: Schema.Natural.annotate({ description: "Networks in the catalog, subnets counted" }),
  not_covered: described.not_covered,
  access: AccessNote,
  n_matching: Schema.optionalKey(
    Schema.Natural.annotate({ description: "With `query`: networks of the catalog that match, shown or not" })
  ),
  also_matching: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description:
        "With `query`: symbols that match and are not in this caller's sample, measured ones first, at most 100; " +
        "/v1/network/{symbol} reads each"
    })
  ),
  next_cursor: described.next_cursor
}).annotate({
  identifier: "NetworksResponse",
  description: "The catalog of networks; without a key a sample"
})
export interface NetworksResponse extends Schema.Schema.Type<typeof NetworksResponse> {}

export const TryRow = Schema.Struct({
  ...row,
  verify_url: described.verify_url
}).annotate({ identifier: "TryRow", description: "A showcase network" })
export interface TryRow extends Schema.Schema.Type<typeof TryRow> {}

export const TryResponse = Schema.Struct({
  generated_utc: described.generated_utc,
  networks: Schema.Array(TryRow).annotate({
    description: "Three showcase networks that have data; fewer only while fewer have any"
  })
}).annotate({ identifier: "TryResponse", description: "Three networks to begin with" })
export interface TryResponse extends Schema.Schema.Type<typeof TryResponse> {}

const sorted: ReadonlyArray<Network> = catalog.toSorted((a, b) => compare(a.symbol, b.symbol))
const symbols = sorted.map(({ symbol }) => symbol)

const subnets = new Set(subnetSymbols)

const isFirstParty = ({ tier }: CurrentRow): boolean => tier === "supply_telemetry"

/** Only what is live counts: a network whose last telemetry is a week old has none (spec 2.3). */
const networkRow = ({ category, name, symbol }: Network, { at, bySymbol, stamped }: Listing): NetworkRow => {
  const live = (bySymbol.get(symbol) ?? []).filter(isLive(at))
  return {
    symbol,
    name,
    category,
    telemetry_tier: live.some(isFirstParty)
      ? "first_party"
      : live.length > 0
        ? "market_only"
        : "catalog_only",
    live_series: live.length,
    stamped_on_chain: stamped.has(symbol)
  }
}

/** `uncovered` for the feeds there are, without the networks that have telemetry all the same. */
export const notCovered = Effect.fnUntraced(function* (bySymbol: Listing["bySymbol"]) {
  const { manifests } = yield* Feeds
  const reasons: Record<string, string> = {}
  for (const [symbol, reason] of [...uncovered(manifests)].sort(([a], [b]) => compare(a, b))) {
    if (bySymbol.get(symbol)?.some(isFirstParty) !== true) reasons[symbol] = reason
  }
  return reasons
})

const folded = (text: string): string => text.normalize("NFKC").toLowerCase()

/** True for a network whose symbol, name or category holds the text. */
const holds = ({ category, name, symbol }: Network, query: string): boolean =>
  [symbol, name, category].some((text) => folded(text).includes(query))

/** True where the text is the network's symbol or name. */
const isNamed = ({ name, symbol }: Network, query: string): boolean =>
  folded(symbol) === query || folded(name) === query

/** Symbols beside the rows of a search. */
export const mostBeside = 100

/**
 * The catalog, or its sample. Fails with `BadParameter`. `cursor` is the last symbol of the page before. With `query`
 * those that match; one whose symbol or name it is, is found whether it is in today's sample or not, and of the others
 * outside the sample the symbols are told.
 */
export const networks = Effect.fn("networks")(function* (options: {
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
  const query = folded(options.query ?? "").trim()
  const found = query === "" ? sorted : sorted.filter((network) => holds(network, query))
  const isShown = (network: Network): boolean =>
    only.has(network.symbol) || (query !== "" && isNamed(network, query))
  const unshown = query === "" ? [] : found.filter((network) => !isShown(network)).map(({ symbol }) => symbol)
  const beside = unshown.toSorted((a, b) => Number(list.bySymbol.has(b)) - Number(list.bySymbol.has(a)))
  const { items, next } = page(found.filter(isShown), ({ symbol }) => symbol, limit, options.cursor)
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
