/** `Upstream` for a run that may not flood, and that is over when it is over. */
import { Effect } from "effect"
import type { Upstream } from "../../core/plugin/Upstream.ts"
import type { RunLimits } from "./runLimits.ts"

export interface Budgeted {
  readonly upstream: Upstream["Service"]
  /** From now on no request is made: a fiber that the run left behind can only wait. */
  readonly close: () => void
}

/** `flooded` is told once why the run has to end. The plugin itself learns nothing: its request never returns. */
export const budgeted = (
  inner: Upstream["Service"],
  limits: RunLimits,
  flooded: (why: string) => void
): Budgeted => {
  let closed = false
  let requests = 0
  let bytes = 0
  const flood = (why: string) => {
    closed = true
    flooded(why)
    return Effect.never
  }
  return {
    upstream: {
      ...inner,
      exchange: (request) =>
        Effect.suspend(() => {
          if (closed) return Effect.never
          requests++
          if (requests > limits.requests) return flood(`more than ${limits.requests} requests`)
          return Effect.flatMap(inner.exchange(request), (exchange) => {
            bytes += exchange.body.length
            return bytes > limits.bytes
              ? flood(`more than ${limits.bytes} bytes of answers`)
              : Effect.succeed(exchange)
          })
        })
    },
    close: () => {
      closed = true
    }
  }
}
