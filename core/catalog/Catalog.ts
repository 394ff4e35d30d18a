/** The networks as data: their identity and external ids. */
import { Schema } from "effect"
import { Category } from "../plugin/kinds.ts"
import type { Covers, Manifest } from "../plugin/Plugin.ts"
import type { Target } from "../plugin/Upstream.ts"
import networksJson from "./networks.json" with { type: "json" }

/** One network of `networks.json`. */
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
  website: Schema.optionalKey(Schema.NonEmptyString),
  /** Why there is no first-party feed, where somebody looked; else `uncovered` says so. */
  not_covered: Schema.optionalKey(Schema.NonEmptyString),
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
    listed_by: "opentensor/subtensor"
  })
)

/** Every catalogued network, in the order of the file, subnets last. */
export const networks: ReadonlyArray<Network> = [
  ...Schema.decodeUnknownSync(Schema.Array(Network))(networksJson),
  ...subnets
]

/** Networks by symbol as it is written; `findSymbol` takes any case. */
export const bySymbol: ReadonlyMap<string, Network> = new Map(
  networks.map((network) => [network.symbol, network])
)

/** Why a network has no first-party feed where nobody has written down another reason. */
export const notLookedFor = "no public keyless first-party feed has been looked for yet"

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
    networks.flatMap(
      ({ not_covered, symbol }): ReadonlyArray<[string, string]> =>
        covered.has(symbol) ? [] : [[symbol, not_covered ?? asleep.get(symbol) ?? notLookedFor]]
    )
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
