/** Sends one request to one address, without redirects or retries. */
import { Effect } from "effect"
import { type Agent, request } from "undici"
import { guarded } from "../../core/process/guarded.ts"
import { collect } from "./decompress.ts"
import { flat } from "./headers.ts"
import type { TransportError } from "./TransportError.ts"
import { toTransportError } from "./toTransportError.ts"

export interface TransportRequest {
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface TransportResponse {
  readonly status: number
  /** Names in lower case; several of one name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** After content decoding; empty for a redirect. */
  readonly body: Buffer
}

/** Sends and reads to the end, at most `most` bytes. */
export const send = (
  options: TransportRequest,
  agent: Agent,
  most: number
): Effect.Effect<TransportResponse, TransportError> =>
  Effect.tryPromise({
    try: async (signal) => {
      const answer = await request(options.url, {
        dispatcher: agent,
        signal,
        method: options.method,
        headers: { ...options.headers },
        body: options.body ?? null
      })
      const headers = flat(answer.headers)
      if (isRedirect(answer.statusCode)) {
        answer.body
          .on(
            "error",
            guarded("a redirect", () => {})
          )
          .destroy()
        return { status: answer.statusCode, headers, body: Buffer.alloc(0) }
      }
      const body = await collect(answer.body, headers["content-encoding"], most)
      return { status: answer.statusCode, headers, body }
    },
    catch: (error) => toTransportError(error, options.url.host)
  })

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)
