/** Sends one request to one address, without redirects or retries. */
import { Effect } from "effect"
import { type Agent, errors, request } from "undici"
import { AddressRefused } from "./address.ts"
import { collect } from "./decompress.ts"
import { plainWords } from "./plainWords.ts"
import { TransportError } from "./TransportError.ts"

export interface Sent {
  readonly method: "GET" | "POST"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

export interface Received {
  readonly status: number
  /** Names in lower case; several of one name joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  /** After content decoding; empty for a redirect. */
  readonly body: Buffer
}

/** Sends and reads to the end, at most `most` bytes. */
export const send = (sent: Sent, agent: Agent, most: number): Effect.Effect<Received, TransportError> =>
  Effect.tryPromise({
    try: async (signal) => {
      const answer = await request(sent.url, {
        dispatcher: agent,
        signal,
        method: sent.method,
        headers: { ...sent.headers },
        body: sent.body ?? null
      })
      const headers = flat(answer.headers)
      if (isRedirect(answer.statusCode)) {
        answer.body.on("error", () => {}).destroy()
        return { status: answer.statusCode, headers, body: Buffer.alloc(0) }
      }
      const body = await collect(answer.body, headers["content-encoding"], most)
      return { status: answer.statusCode, headers, body }
    },
    catch: (error) => troubleOf(error, sent.url.host)
  })

export const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** The headers of an answer; several of one name joined by a comma. */
export const flat = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")]]
    )
  )

/** Error codes for which a retry may help. */
const brokenCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "ENOTFOUND",
  "ESERVFAIL",
  "ETIMEOUT",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"
])

/** What a failure of undici, zlib or the address check means. Keeps words, never the error's own objects. */
export const troubleOf = (error: unknown, host: string): TransportError => {
  if (error instanceof TransportError) return error
  if (error instanceof AddressRefused) return new TransportError({ kind: "refused", detail: error.message })
  if (!(error instanceof Error)) return new TransportError({ kind: "limit", detail: String(error) })
  const code =
    error instanceof errors.HTTPParserError
      ? "HPE_"
      : "code" in error && typeof error.code === "string"
        ? error.code
        : ""
  const detail =
    plainWords(code, host) ?? (code === "" ? error.message : `${host}: ${error.message} (${code})`)
  return new TransportError({
    kind: brokenCodes.has(code) ? "broken" : "limit",
    detail: detail.slice(0, 300)
  })
}
