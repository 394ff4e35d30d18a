/** What the staking pallet of a chain pays its validators for the newest era that is over. */
import { Effect } from "effect"
import * as Substrate from "#plugin/substrate"

/** `Staking.ErasValidatorReward`, a map by the number of the era, which has those of the last 84 or so that are over. */
export const rewards = {
  name: "Staking.ErasValidatorReward",
  key: "0x5f3e4907f716ac89b6347d15ececedca7e6ed2ee507c7b4441d59e4ded44b8a2"
} as const

/** The number at the end of a key of the map: four bytes, little endian, after their hash. */
const eraOf = (key: string): number =>
  (key.slice(-8).match(/../g) ?? []).reduceRight((sum, byte) => sum * 256 + Number.parseInt(byte, 16), 0)

/** The key of the newest of these eras; undefined where the node tells none. */
export const newestReward = (rpc: string, block: string) =>
  Effect.map(Substrate.keysUnder(rpc, rewards.key, block), (keys) =>
    keys.toSorted((a, b) => eraOf(b) - eraOf(a)).at(0)
  )
