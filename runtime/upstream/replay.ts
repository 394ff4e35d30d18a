/** `Upstream` that answers only from recorded exchanges. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import type { Target } from "../../core/plugin/Upstream.ts"
import {
  type Exchange,
  nameOf,
  notRecorded,
  type Request,
  Upstream,
  UpstreamUnreachable
} from "../../core/plugin/Upstream.ts"

/** A recording with its bodies in memory. */
export interface Tape {
  /** Epoch milliseconds. */
  readonly now: number
  readonly targets: ReadonlyArray<Target>
  readonly settings: Readonly<Record<string, string>>
  readonly exchanges: ReadonlyArray<Exchange>
}

/** What tells one request from another in a recording: method, URL and the hash of the body. */
export const requestKey = (request: Request): string => {
  const body = request.body === undefined ? "" : createHash("sha256").update(request.body).digest("hex")
  return `${request.method} ${request.url} ${body}`
}

/**
 * Answers from the tape by (method, URL, body hash, n-th time); a request that was not recorded fails as unreachable
 * and says so. Each one made starts counting anew.
 */
export const make = (tape: Tape): Upstream["Service"] => {
  const waiting = Map.groupBy(tape.exchanges, ({ request }) => requestKey(request))
  return {
    now: tape.now,
    targets: tape.targets,
    settings: tape.settings,
    exchange: (request) =>
      Effect.suspend(() => {
        const next = waiting.get(requestKey(request))?.shift()
        return next === undefined
          ? Effect.fail(new UpstreamUnreachable({ request: nameOf(request), detail: notRecorded }))
          : Effect.succeed(next)
      })
  }
}

/** `make` as a layer: each time it is provided it starts counting anew. */
export const layer = (tape: Tape): Layer.Layer<Upstream> => Layer.sync(Upstream, () => make(tape))
