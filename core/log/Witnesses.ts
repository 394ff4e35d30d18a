/** The port to witnesses (C2SP tlog-witness): servers that follow this log and cosign each head that extends the one before. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { Cosigner } from "../proof/cosignature.ts"
import type { Quorum } from "../proof/policy.ts"

/** A witness did not give what was asked of it. The message says why, without its name. */
export class WitnessTrouble extends Schema.TaggedError<WitnessTrouble>()("WitnessTrouble", {
  message: Schema.String
}) {}

export interface Witness {
  /** The operator's name for it. */
  readonly name: string
  readonly key: Cosigner
  /** Its submission prefix, without a slash at the end. */
  readonly url: string
}

/** What a witness answers to a checkpoint: signature lines, not verified yet, or the size that it holds instead. */
export type Offered = { readonly lines: string } | { readonly holds: number }

export class Witnesses extends Context.Service<
  Witnesses,
  {
    readonly all: ReadonlyArray<Witness>
    /** The witnesses whose cosignatures a head should have. */
    readonly quorum: Quorum
    /** Sends the body of an `add-checkpoint` request. */
    readonly offer: (witness: Witness, body: string) => Effect.Effect<Offered, WitnessTrouble>
    /** The newest checkpoint that the witness holds of the log, not verified yet; none if it holds or serves none. */
    readonly latest: (
      witness: Witness,
      origin: string
    ) => Effect.Effect<Option.Option<string>, WitnessTrouble>
  }
>()("core/log/Witnesses") {}
