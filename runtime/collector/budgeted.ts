/** `Upstream` with limits on requests and bytes. It can be closed when the run ends. */
import { Effect } from "effect"
import type { Upstream } from "../../core/plugin/Upstream.ts"
import type { RunLimits } from "./runLimits.ts"

export interface Budgeted {
  readonly upstream: Upstream["Service"]
  /** Stops all further requests: a fiber that the run left behind can only wait. */
  readonly close: () => void
}

/** Calls `flooded` once with the reason why the run must end. The plugin's own request never returns. */
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
