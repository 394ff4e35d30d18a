/** `Upstream` that keeps what passes through it: the material of the derivation ledger and of `fixtures/`. */
import { Effect } from "effect"
import type { Exchange, Upstream } from "../../core/plugin/Upstream.ts"

export interface Recorder {
  readonly upstream: Upstream["Service"]
  /** The exchanges so far, in the order in which they were complete. */
  readonly exchanges: () => ReadonlyArray<Exchange>
}

/** Wraps another form. What failed without an answer leaves no exchange. */
export const make = (inner: Upstream["Service"]): Recorder => {
  const exchanges: Array<Exchange> = []
  return {
    upstream: {
      ...inner,
      exchange: (request) =>
        Effect.tap(inner.exchange(request), (exchange) => Effect.sync(() => exchanges.push(exchange)))
    },
    exchanges: () => [...exchanges]
  }
}
