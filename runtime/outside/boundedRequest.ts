/** Sends one request to an operator's address, bounded in time and bytes, without redirects or retries. */
import type { Readable } from "node:stream"
import { Data, type Duration, Effect } from "effect"
import { collect } from "../upstream/decompress.ts"
import { flat } from "../upstream/headers.ts"
import { toTransportError } from "../upstream/toTransportError.ts"

export class NoAnswer extends Data.TaggedError("NoAnswer")<{ readonly message: string }> {}

export interface BoundedRequest {
  readonly method: "DELETE" | "GET" | "HEAD" | "POST" | "PUT"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Readable | Uint8Array
  /** Bytes of the longest answer that is read. */
  readonly most: number
  readonly timeout: Duration.Input
}

export interface BoundedResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Sends the request and reads the whole answer. A redirect is an answer like any other. */
export const sendBounded = (options: BoundedRequest): Effect.Effect<BoundedResponse, NoAnswer> =>
  Effect.tryPromise({
    try: async (signal) => {
      // Loaded by the first request: it is a hundred modules, and many processes never ask anybody.
      const { request } = await import("undici")
      const answer = await request(options.url, {
        method: options.method,
        headers: { ...options.headers },
        body: options.body ?? null,
        signal
      })
      const headers = flat(answer.headers)
      const body = await collect(answer.body, headers["content-encoding"], options.most)
      return { status: answer.statusCode, headers, body: new Uint8Array(body) }
    },
    catch: (error) => new NoAnswer({ message: toTransportError(error, new URL(options.url).host).detail })
  }).pipe(
    Effect.timeoutOrElse({
      duration: options.timeout,
      orElse: () => Effect.fail(new NoAnswer({ message: "no answer in time" }))
    })
  )
