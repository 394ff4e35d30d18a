/** The port by which a long payload is kept outside the memory, named by its hash. What is lost is made again. */
import { Context, Effect } from "effect"

export interface PayloadFiles {
  /** Keeps the bytes; older ones may be dropped. A disk that refuses is no failure: then they are not kept. */
  readonly put: (sha256: string, bytes: Uint8Array) => Effect.Effect<void>
  /** The bytes, if they are there and hash to their name (lower-case hex). */
  readonly get: (sha256: string) => Effect.Effect<Uint8Array | undefined>
}

/** Keeps nothing by default. */
export const PayloadFiles = Context.Reference<PayloadFiles>("core/products/PayloadFiles", {
  defaultValue: () => ({ put: () => Effect.void, get: () => Effect.succeed(undefined) })
})
