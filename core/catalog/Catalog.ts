/** The networks as data: their identity and external ids. */
import { Schema } from "effect"
import { Category } from "../plugin/kinds.ts"
import type { Covers, Manifest } from "../plugin/Manifest.ts"
import type { Target } from "../plugin/Upstream.ts"
import { linesOf } from "./added.ts"
import ai from "./networks/ai.json" with { type: "json" }
import bandwidth from "./networks/bandwidth.json" with { type: "json" }
import compute from "./networks/compute.json" with { type: "json" }
import data from "./networks/data.json" with { type: "json" }
import energy from "./networks/energy.json" with { type: "json" }
import environment from "./networks/environment.json" with { type: "json" }
import health from "./networks/health.json" with { type: "json" }
import infrastructure from "./networks/infrastructure.json" with { type: "json" }
import mapping from "./networks/mapping.json" with { type: "json" }
import messaging from "./networks/messaging.json" with { type: "json" }
import mobility from "./networks/mobility.json" with { type: "json" }
import positioning from "./networks/positioning.json" with { type: "json" }
import reference from "./networks/reference.json" with { type: "json" }
import robotics from "./networks/robotics.json" with { type: "json" }
import satellite from "./networks/satellite.json" with { type: "json" }
import sensor from "./networks/sensor.json" with { type: "json" }
import storage from "./networks/storage.json" with { type: "json" }
import weather from "./networks/weather.json" with { type: "json" }
import wireless from "./networks/wireless.json" with { type: "json" }

/** One network of `networks/<category>.json`, or of a file of its own below `networks/<category>/`. */
export const Network = Schema.Struct({
  /**
   * Ticker, upper case where the network writes it so; unique in the catalog whatever the case. Of two networks with
   * one ticker the one that was listed first keeps it; the other is listed under `TICKER.NAME` (letters and digits of
   * its name in capitals), never merged with it: rows are joined by ids (`coingecko_id`, contract), not by ticker.
   */
  symbol: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._$-]{1,24}$/)),
  name: Schema.NonEmptyString,
  category: Category,
  coingecko_id: Schema.optionalKey(Schema.NonEmptyString),
  /** A GitHub organisation, or `owner/repository`. */
  github: Schema.optionalKey(Schema.NonEmptyString),
  /** The chain of the token, in CoinGecko's words. */
  chain: Schema.optionalKey(Schema.NonEmptyString),
  token_contract: Schema.optionalKey(Schema.NonEmptyString),
  /** The lists that name the contract, each with its commit; in brackets the name that a list gives the token. */
  contract_source: Schema.optionalKey(Schema.NonEmptyString),
  website: Schema.NonEmptyString,
  /** Why there is no first-party feed, where somebody looked; else `uncovered` says so. */
  not_covered: Schema.optionalKey(Schema.NonEmptyString),
  /** When the public lists of `lookedIn` were searched for a first-party feed and named none: `YYYY-MM-DD`. */
  looked: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/))),
  /** The source that answers where several feeds give one metric: `metric` to `source`. */
  primary: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** Where the entry was found. */
  listed_by: Schema.NonEmptyString
})
export interface Network extends Schema.Schema.Type<typeof Network> {}

/** Bittensor's subnets stand in the catalog as networks of their own: `SN0` to `SN128`. */
export const subnetSymbols: ReadonlyArray<string> = Array.from({ length: 129 }, (_, netuid) => `SN${netuid}`)

const subnets = subnetSymbols.map(
  (symbol, netuid): Network => ({
    symbol,
    name: `Bittensor subnet ${netuid}`,
    category: "ai",
    chain: "bittensor",
    website: `https://taostats.io/subnets/${netuid}`,
    listed_by: "RaoFoundation/subtensor"
  })
)

/** Lines of the files, one file for each category. */
const files: Readonly<Record<Category, ReadonlyArray<{ readonly symbol: string }>>> = {
  ai,
  bandwidth,
  compute,
  data,
  energy,
  environment,
  health,
  infrastructure,
  mapping,
  messaging,
  mobility,
  positioning,
  reference,
  robotics,
  satellite,
  sensor,
  storage,
  weather,
  wireless
}

/** Every catalogued network, by category and in the order of its symbols, subnets last. */
export const networks: ReadonlyArray<Network> = [
  ...Category.literals.flatMap((category) =>
    Schema.decodeUnknownSync(Schema.Array(Network))(
      linesOf(category, files[category]).map((line) => ({ ...line, category }))
    )
  ),
  ...subnets
]

/** Whether a network is a DePIN network, and no baseline such as a general chain. */
export const isDepin = ({ category }: Pick<Network, "category">): boolean => category !== "reference"

/** Networks by symbol as it is written; `findSymbol` takes any case. */
export const bySymbol: ReadonlyMap<string, Network> = new Map(
  networks.map((network) => [network.symbol, network])
)

/**
 * Symbols of the category `reference`, which totals, shares, indices and analyses of DePIN leave out. A symbol outside
 * the catalog, such as a sector of the physical world, is none of them.
 */
export const referenceSymbols: ReadonlySet<string> = new Set(
  networks.filter((network) => !isDepin(network)).map(({ symbol }) => symbol)
)

/** Why a network has no first-party feed where nobody has written down another reason. */
export const notLookedFor = "no public keyless first-party feed has been looked for yet"

/** What was searched, each list at its commit, and for what. */
export const lookedIn =
  "no public keyless address for its name or its website's domain is in the public lists of ev3 (21f9955), DefiLlama " +
  "(adapters 1eb4e81, dimensions e7346b0) and Cosmos' chain registry (627bbab); no page of its own was opened"

/** Why a network has no first-party feed where only the lists were searched. */
const foundNothing = (date: string) => `${lookedIn} (searched on ${date})`

/**
 * The networks that no feed of these manifests measures first hand, by symbol, with the reason: what the catalog says,
 * else that the feed there is runs only when asked for and why, else that nobody has looked.
 */
export const uncovered = (
  manifests: ReadonlyArray<Pick<Manifest, "id" | "covers" | "tier" | "disabled">>
): ReadonlyMap<string, string> => {
  const covered = new Set<string>()
  const asleep = new Map<string, string>()
  for (const { covers, disabled, id, tier } of manifests) {
    if (!("networks" in covers)) continue
    for (const symbol of covers.networks) {
      if (disabled !== undefined) {
        const others = asleep.get(symbol)
        const why = `the feed ${id} runs only when asked for: ${disabled}`
        asleep.set(symbol, others === undefined ? why : `${others}; ${why}`)
      } else if (tier === "supply_telemetry") covered.add(symbol)
    }
  }
  return new Map(
    networks.flatMap(({ looked, not_covered, symbol }): ReadonlyArray<[string, string]> => {
      if (covered.has(symbol)) return []
      const searched = looked === undefined ? notLookedFor : foundNothing(looked)
      return [[symbol, not_covered ?? asleep.get(symbol) ?? searched]]
    })
  )
}

/** The catalog rows that have the id which a manifest covers, sorted by symbol. */
export const targetsOf = (covers: Covers): ReadonlyArray<Target> => {
  if (!("catalog" in covers)) return []
  return networks.flatMap((network) => {
    const id = network[covers.catalog]
    return id === undefined
      ? []
      : [
          {
            symbol: network.symbol,
            name: network.name,
            id,
            ...(network.chain === undefined ? {} : { chain: network.chain })
          }
        ]
  })
}
