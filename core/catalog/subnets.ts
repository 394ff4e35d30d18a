/**
 * Which registration of a Bittensor subnet the series are of. Netuids are given to new owners about weekly, and the chain
 * tells it by the block of the registration (`NetworkRegisteredAt`): nothing measured of one owner is credited to another.
 */
import { Schema } from "effect"
import subnetsJson from "./subnets.json" with { type: "json" }

/** One registration: `JSONbored/metagraphed` at 30a4d61 (2026-08-07), and later ones read on 2026-10-08. */
const Registration = Schema.Struct({
  netuid: Schema.Natural,
  /** Block in which the subnet was registered. */
  registered_at: Schema.Natural,
  /** What the chain called it then; owners rename their subnets freely, so that it identifies nothing. */
  name: Schema.NullOr(Schema.String)
})

const registrations: ReadonlyMap<number, number> = new Map(
  Schema.decodeUnknownSync(Schema.Array(Registration))(subnetsJson).map(({ netuid, registered_at }) => [
    netuid,
    registered_at
  ])
)

/** The block of the registration that the catalog knows; undefined for a netuid that it does not have. */
export const registeredAt = (netuid: number): number | undefined => registrations.get(netuid)

/**
 * The label of a subnet's series from the chain. It is the feed's own for the registration that the catalog knows. A
 * later registration ends those series, and its own bear its block: `subtensor_rpc_9210632`.
 */
export const sourceOf = (feed: string, netuid: number, block: number): string =>
  registrations.get(netuid) === block ? feed : `${feed}_${block}`
