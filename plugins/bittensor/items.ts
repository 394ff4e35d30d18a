/** Storage items of the chain's `SubtensorModule` that become metrics (`pallets/subtensor/src/lib.rs`). */
import type { Role, Unit } from "#plugin"
import { type Codec, countTrue, u16, u64, unsigned } from "#plugin/substrate"

/** twox_128("SubtensorModule"); the item's own hash follows. */
const pallet = "0x658faa385070e074c85bf6b568cf0555"

export const timestampNow = "0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"
export const systemNumber = "0x26aa394eea5630e07c48ae0c9558cef702a5c1b19ab7a04f536c519aca4983ac"
export const totalNetworks = `${pallet}5f3bb7bcd0a076a48abf8c256d221721`
export const networksAdded = `${pallet}0e30450fc4d507a846032a7fa65d9a43`
export const totalIssuance = `${pallet}57c875e4cff74148e4628f264b974c80`
export const totalStake = `${pallet}4f85a3603259384a5fa5494b7d7fdb8c`

/** Alpha that each block pays to the miners, validators and owner of a subnet; a map like the items below. */
export const alphaOutEmission = `${pallet}25257fbc5458419b7bc7e8c44c521521`

interface Item {
  readonly name: string
  readonly key: string
  readonly codec: Codec<bigint>
  readonly unit: Unit
  /** Amounts are in rao, 10^9 to the token. */
  readonly decimals: number
  readonly meaning: string
  readonly role: Role
}

const of = (
  name: string,
  hash: string,
  codec: Codec<bigint>,
  unit: Unit,
  meaning: string,
  role: Role = "measure"
): Item => ({
  name,
  key: pallet + hash,
  codec,
  unit,
  decimals: unit === "tokens" ? 9 : 0,
  meaning,
  role
})

/** The thirteen items of each subnet; a map's key is the netuid as it is, in two bytes. */
export const items = {
  SUBNET_NEURONS: of(
    "SubnetworkN",
    "a1048e9d244171852dfe8db314dc68ca",
    u16,
    "count",
    "Neurons registered in the subnet.",
    "capacity"
  ),
  SUBNET_ACTIVE_NEURONS: of(
    "Active",
    "0f41321f75df7ea5127be2db4983c8b2",
    countTrue,
    "count",
    "Neurons that set weights or were registered within the subnet's activity cutoff, as of its last epoch: most miners, which set none, are not among them.",
    "headline"
  ),
  SUBNET_ALPHA_IN: of(
    "SubnetAlphaIn",
    "2ce12f7007574647d692ac7edf8b7a53",
    u64,
    "tokens",
    "Alpha of the subnet in its pool."
  ),
  SUBNET_ALPHA_OUT: of(
    "SubnetAlphaOut",
    "7837978cc6746112a2c9e680a18cfcb9",
    u64,
    "tokens",
    "Alpha of the subnet outside its pool."
  ),
  SUBNET_BURN_COST: of(
    "Burn",
    "01be1755d08418802946bca51b686325",
    u64,
    "tokens",
    "TAO burnt to register a neuron."
  ),
  SUBNET_TAO_RESERVES: of(
    "SubnetTAO",
    "7a57dce016211512d1700561066b85a3",
    u64,
    "tokens",
    "TAO in the subnet's pool; of the root network, the TAO that is staked to it."
  ),
  SUBNET_TAO_IN_EMISSION: of(
    "SubnetTaoInEmission",
    "dd62ae7237581e8f6a684f1ecae06215",
    u64,
    "tokens",
    "TAO that the chain put into the pool in the last block; what it spent there to buy alpha is not among it, and both are 0 where the subnet's emission is switched off."
  ),
  // 16 bytes today, 8 before the runtime widened it.
  SUBNET_VOLUME: of(
    "SubnetVolume",
    "3c3226e141696000b4b239c65bc2b2b4",
    unsigned(16, 8),
    "tokens",
    "TAO bought and sold through the pool since the subnet was registered, by the chain as well."
  ),
  SUBNET_MAX_UIDS: of(
    "MaxAllowedUids",
    "fabe6b131d9fa6e6d6cacbe7586c3b8a",
    u16,
    "count",
    "Neurons the subnet has room for.",
    "parameter"
  ),
  SUBNET_MAX_VALIDATORS: of(
    "MaxAllowedValidators",
    "741b883d2519eed91857993bfd4df0ba",
    u16,
    "count",
    "Validators the subnet has room for.",
    "parameter"
  ),
  SUBNET_VALIDATOR_PERMITS: of(
    "ValidatorPermit",
    "56af5b07ace59da2c9d7f0d48bc93143",
    countTrue,
    "count",
    "Neurons with a validator permit, as of the subnet's last epoch.",
    "breakdown"
  ),
  SUBNET_TEMPO: of(
    "Tempo",
    "7641384bb339f3758acddfd7053d3317",
    u16,
    "blocks",
    "Blocks between two runs of the subnet's consensus.",
    "parameter"
  ),
  SUBNET_REGISTERED_AT_BLOCK: of(
    "NetworkRegisteredAt",
    "271d29b9b717ce3d8c571f1cbc180fa2",
    u64,
    "block",
    "Block in which the subnet was registered."
  )
} as const

export type ItemName = keyof typeof items
export const itemNames = Object.keys(items) as ReadonlyArray<ItemName>
