/** The port to the chain that anchors: block headers by height, checked, and how far the chain has come. */
import { Context, type Effect, Schema } from "effect"
import type { Network } from "../proof/ots/bitcoin.ts"

/** The chain could not be asked, or those asked contradict each other. */
export class BlocksTrouble extends Schema.TaggedError<BlocksTrouble>()("BlocksTrouble", {
  message: Schema.String
}) {}

export class Blocks extends Context.Service<
  Blocks,
  {
    /** Stands in every anchor: a fixture network cannot be taken for Bitcoin. */
    readonly network: Network
    /** The header at a height as 160 digits of hex; all sources that answer agree on it. */
    readonly header: (height: number) => Effect.Effect<string, BlocksTrouble>
    /** Height of the newest block: the lowest that any source names. */
    readonly tip: Effect.Effect<number, BlocksTrouble>
  }
>()("core/log/Blocks") {}
