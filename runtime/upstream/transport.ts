/** Sends one request to one address, without redirects or retries. */
import type { Readable } from "node:stream"
import { Effect } from "effect"
import { type Agent, request } from "undici"
import { guarded } from "../../core/process/guarded.ts"
import { collect } from "./decompress.ts"
import { flat } from "./headers.ts"
import { TransportError } from "./TransportError.ts"
import { toTransportError } from "./toTransportError.ts"

export interface TransportRequest {
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Whether a plain answer may end where its connection closes. Default false: nobody could tell it from one that was cut off. */
  readonly mayEndByClose?: boolean
}

export interface TransportResponse {
  readonly status: number
  /** Names in lower case; several of one name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** After content decoding; empty for a redirect. */
  readonly body: Buffer
}

/** Bytes of a redirect's body that are read, and thrown away. */
const longestRedirect = 64 * 1024

/** undici has a connection free a turn after its answer, and opens another one for a request that comes before. */
const connectionFree = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

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
        // To its end, where that is near: the connection can go on then, and a notary sees a whole answer.
        await answer.body.dump({ limit: longestRedirect })
        await connectionFree()
        return { status: answer.statusCode, headers, body: Buffer.alloc(0) }
      }
      const hasBody = answer.statusCode < 300 && answer.statusCode !== 204
      if (hasBody && options.mayEndByClose !== true && !hasEnd(headers)) {
        abandon(answer.body)
        throw new TransportError({
          kind: "limit",
          detail: `the answer was cut off, or ${options.url.host} states no length: it ends where the connection closes, which endsByClose of the manifest can allow`
        })
      }
      const body = await collect(answer.body, headers["content-encoding"], most)
      await connectionFree()
      return { status: answer.statusCode, headers, body }
    },
    catch: (error) => toTransportError(error, options.url.host)
  })

/** Ends an answer whose body nobody reads. */
const abandon = (body: Readable): void => {
  body
    .on(
      "error",
      guarded("an answer that is not read", () => {})
    )
    .destroy()
}

/**
 * Whether an answer says where it ends: by its length, by chunks, of which undici misses the last one, or by a coding, whose
 * decoder misses the end.
 */
const hasEnd = (headers: Readonly<Record<string, string>>): boolean =>
  headers["content-length"] !== undefined ||
  /\bchunked\b/i.test(headers["transfer-encoding"] ?? "") ||
  !/^(identity)?$/i.test(headers["content-encoding"]?.trim() ?? "")

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)
