/** Heads of this log that others hold, such as its witnesses and mirrors: the log extends each of them before it signs. */
import { Context, Effect } from "effect"

export interface KnownHead {
  /** Who knows it, for messages: `the witness example.org`. */
  readonly from: string
  readonly size: number
  /** 32 bytes. */
  readonly root: Uint8Array
}

/**
 * Asked at the start and before each signature, inside a transaction: answers within a few seconds, and leaves out whoever
 * does not. Heads must be checked, for instance by the cosignature. None by default.
 */
export const KnownHeads = Context.Reference<Effect.Effect<ReadonlyArray<KnownHead>>>("core/log/KnownHeads", {
  defaultValue: () => Effect.succeed([])
})
