/** Bittensor's state as its plugin reads it, among accounts and proxies that it does not read. */
import { registeredAt } from "../../../core/catalog/subnets.ts"
import { lastRuntimeUpgrade } from "../../../core/plugin/shapes/provedStorage.ts"
import { littleEndian } from "../../../core/plugin/shapes/substrate.ts"
import { concat, fromHex, utf8 } from "../../../core/proof/bytes.ts"
import { blake2b256 } from "../../../core/proof/chain/substrateTrie.ts"
import * as Items from "../../../plugins/bittensor/items.ts"
import { compact, type Entry, little } from "./substrate.ts"

const bytesOf = (key: string): Uint8Array => fromHex(key.slice(2))

const flags = (seed: number): Uint8Array =>
  concat(
    compact(256),
    Uint8Array.from({ length: 256 }, (_, index) => ((index * 7 + seed * 13) % 3 === 0 ? 1 : 0))
  )

const valueOf = (name: Items.ItemName, netuid: number): Uint8Array => {
  if (name === "SUBNET_ACTIVE_NEURONS" || name === "SUBNET_VALIDATOR_PERMITS") return flags(netuid)
  if (name === "SUBNET_NEURONS" || name === "SUBNET_MAX_UIDS") return little(256, 2)
  if (name === "SUBNET_MAX_VALIDATORS" || name === "SUBNET_TEMPO") return little(64, 2)
  if (name === "SUBNET_VOLUME") return little(BigInt(netuid + 1) << 70n, 16)
  if (name === "SUBNET_REGISTERED_AT_BLOCK") return little(registeredAt(netuid) ?? 1, 8)
  return little(1_000_000_007n * BigInt(netuid + 1), 8)
}

/** The state with so many subnets; the third has no list of active neurons, as the chain has none where it would be empty. */
export const bittensorEntries = (
  subnets: number,
  others = 4000,
  at = Date.parse("2026-09-05T10:58:30Z")
): ReadonlyArray<Entry> => [
  [bytesOf(lastRuntimeUpgrade), concat(compact(301), compact(14), utf8("node-subtensor"))],
  [bytesOf(Items.timestampNow), little(at, 8)],
  [bytesOf(Items.systemNumber), little(9_000_000, 4)],
  [bytesOf(Items.totalNetworks), little(subnets, 2)],
  [bytesOf(Items.totalIssuance), little(10n ** 16n, 8)],
  [bytesOf(Items.totalStake), little(6n * 10n ** 15n, 8)],
  ...Array.from({ length: subnets }, (_, netuid) => netuid).flatMap((netuid): ReadonlyArray<Entry> => {
    const end = littleEndian(netuid, 2)
    return [
      [bytesOf(Items.networksAdded + end), Uint8Array.of(1)],
      [bytesOf(Items.alphaOutEmission + end), little(1_000_000_000n, 8)],
      ...Items.itemNames
        .filter((name) => netuid !== 3 || name !== "SUBNET_ACTIVE_NEURONS")
        .map((name): Entry => [bytesOf(Items.items[name].key + end), valueOf(name, netuid)])
    ]
  }),
  ...Array.from({ length: others }, (_, index): Entry => {
    const account = blake2b256(little(index, 8))
    return [concat(blake2b256(utf8("Account")), account), new Uint8Array(80).fill(index & 255)]
  }),
  ...Array.from({ length: others / 20 }, (_, index): Entry => {
    const proxy = blake2b256(little(index, 9))
    return [
      concat(blake2b256(utf8("Proxies")), proxy),
      concat(compact(index % 4), new Uint8Array(37 * (index % 4)))
    ]
  })
]
