/** The port to the anchoring chain: verified block headers by height, and the chain's height. */
import { Context, type Effect, Schema } from "effect"
import type { BitcoinNetwork } from "../proof/ots/bitcoin.ts"

/** The chain could not be queried, or the sources disagree. */
export class BlocksTrouble extends Schema.TaggedError<BlocksTrouble>()("BlocksTrouble", {
  message: Schema.String
}) {}

export class Blocks extends Context.Service<
  Blocks,
  {
    /** Part of every anchor, so that a fixture network cannot pass for Bitcoin. */
    readonly network: BitcoinNetwork
    /** The header at a height, 160 hex digits; all responding sources agree on it. */
    readonly header: (height: number) => Effect.Effect<string, BlocksTrouble>
    /** Height of the newest block: the lowest reported by any source. */
    readonly tip: Effect.Effect<number, BlocksTrouble>
  }
>()("core/log/Blocks") {}
