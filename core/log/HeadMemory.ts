/**
 * What this process remembers of its log outside the database: the greatest head that it signed or followed. A restored
 * or altered database cannot take it back, so the log compares itself with it before it signs again.
 */
import { Context, type Effect, Schema } from "effect"

/** The remembered heads cannot be read or written. The message names the place and says what to do. */
export class HeadMemoryError extends Schema.TaggedError<HeadMemoryError>()("HeadMemoryError", {
  message: Schema.String
}) {}

export interface RememberedHead {
  /** Where it is kept, for messages. */
  readonly from: string
  /** The signed note. */
  readonly note: string
}

export interface Memory {
  /** Heads remembered for these log keys (kids). Fails if none could be kept either: then nothing may be signed. */
  readonly read: (
    kids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<RememberedHead>, HeadMemoryError>
  /** Keeps a head of this size for each key, unless a greater one is kept; on disk when it returns. */
  readonly keep: (
    kids: ReadonlyArray<string>,
    head: { readonly size: number; readonly note: string }
  ) => Effect.Effect<void, HeadMemoryError>
}

/** None by default: the log then compares itself with the heads in its database alone. */
export const HeadMemory = Context.Reference<Memory | undefined>("core/log/HeadMemory", {
  defaultValue: () => undefined
})
