/**
 * Proxies requests below `/test` to the test service, a separate process with its own database, keys and secret, so test
 * purchases never touch live data.
 */
import { Agent, request as call, type IncomingMessage, type ServerResponse } from "node:http"
import { guarded } from "../../core/process/guarded.ts"
import { basePathOf, type HttpSettings, modeHeader } from "../HttpSettings.ts"
import { addressOf } from "../request/origin.ts"

/** The most requests that the test service has at a time, its streams among them. What is more is refused at once. */
const most = 64

/** How long the live service keeps a client that reads nothing. */
const timeout = 300_000

/** Hop-by-hop headers (RFC 9110, section 7.6.1), and `expect`, which Node has already answered. */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** Name, value, name, value, as they came, without those of the connection and without `but`. */
const passedOn = (raw: ReadonlyArray<string>, but?: string): Array<string> =>
  raw.filter((_, at) => {
    const name = raw[at - (at % 2)]?.toLowerCase() ?? ""
    return !ofConnection.has(name) && name !== but
  })

export type HandOver = (request: IncomingMessage, response: ServerResponse, away: () => void) => void

/** `away` answers where no test service can be reached, or where it has as many requests as it takes. */
export const makeHandOver = (
  service: URL,
  { baseUrl, trustProxy }: Pick<HttpSettings["Service"], "baseUrl" | "trustProxy">
): { readonly handOver: HandOver; readonly end: () => void } => {
  const basePath = basePathOf(baseUrl)
  // Without a bound of its own, which would be a queue: its waiting requests have no timeout.
  const agent = new Agent({ keepAlive: true, maxFreeSockets: most })
  let open = 0
  return {
    end: () => agent.destroy(),
    handOver: (request, response, away) => {
      if (open >= most) return away()
      const { headers, method = "GET", rawHeaders, socket, url = "/" } = request
      const forwarded = headers["x-forwarded-for"]
      const client = addressOf(
        socket.remoteAddress,
        typeof forwarded === "string" ? forwarded : undefined,
        trustProxy
      )
      // Each part of what fails reports it. A response that has ended, or whose client has left, needs nothing more.
      const failed = () => {
        if (response.destroyed || response.writableEnded) return
        if (response.headersSent) response.destroy()
        else away()
      }
      const outgoing = call({
        agent,
        host: service.hostname.replace(/^\[|\]$/g, ""),
        port: service.port === "" ? 80 : service.port,
        method,
        path: basePath + url,
        // The one address that counts: what a client writes into the header goes no further.
        headers: [...passedOn(rawHeaders, "x-forwarded-for"), "X-Forwarded-For", client],
        // A 402 names every way to pay in its headers.
        maxHeaderSize: 32 * 1024,
        timeout
      })
      open += 1
      outgoing.once(
        "close",
        guarded("the end of a request to the test service", () => {
          open -= 1
        })
      )
      outgoing.once(
        "response",
        guarded("an answer of test mode", (answer: IncomingMessage) => {
          answer.on("error", guarded("an answer of test mode", failed))
          // Another service would sell for real money, so its answers are never passed on.
          if (answer.headers[modeHeader] !== "test")
            return void outgoing.destroy(new Error("no test service"))
          response.writeHead(answer.statusCode ?? 502, passedOn(answer.rawHeaders))
          response.flushHeaders()
          answer.pipe(response)
        })
      )
      outgoing.on("error", guarded("a request of test mode", failed))
      outgoing.once(
        "timeout",
        guarded("a slow request of test mode", () => void outgoing.destroy())
      )
      response.once(
        "close",
        guarded("the end of a request of test mode", () => void outgoing.destroy())
      )
      request.pipe(outgoing)
    }
  }
}
