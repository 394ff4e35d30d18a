/** What a collector asks for. */

/** What a collector asks for. `LISTEN` opens a WebSocket, sends `body` and keeps what arrives within `window`. */
export interface Request {
  readonly method: "GET" | "POST" | "LISTEN"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly window?: { readonly seconds: number; readonly messages: number }
}

/** A request, or the URL of a GET. */
export type RequestOrUrl = string | Request

export const toRequest = (target: RequestOrUrl): Request =>
  typeof target === "string" ? { method: "GET", url: target } : target

/** How errors name a request: method and URL, which hold no secret because keys are added behind the port. */
export const nameOf = (target: RequestOrUrl): string => {
  const request = toRequest(target)
  return `${request.method} ${request.url}`
}

/** The longest body, in characters, that an address includes. */
const readable = 2000

/** An address with what is posted there, or what says it in short. */
export const withBody = (url: string, body: string): string =>
  `${url}#${encodeURI(body).replaceAll("#", "%23")}`

/**
 * A request as one address. The fragment holds the body of a POST, percent-encoded: browsers do not send it, but a reader
 * sees what to post. Left out where it is longer than 2,000 characters.
 */
export const addressOf = ({ body, method, url }: Request): string =>
  method !== "POST" || body === undefined || body.length > readable ? url : withBody(url, body)

/** A GET as a browser sends it, for an upstream that turns other clients away. */
export const asBrowser = (url: string): Request => ({
  method: "GET",
  url,
  headers: { "user-agent": "Mozilla/5.0 (compatible; Plumbline)" }
})

/** A POST with a JSON body. */
export const post = (url: string, body: unknown): Request => ({
  method: "POST",
  url,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})
