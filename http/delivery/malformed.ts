/** Unsigned responses to requests without a valid path: a signature needs a path. */
import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { BadRequest } from "../../core/wire/problems/request.ts"
import type { HttpSettings } from "../HttpSettings.ts"
import type { Counts } from "../metrics/Counts.ts"
import { idHeader, newId } from "../request/requestId.ts"
import { commonHeaders } from "./answer.ts"
import { fullProblem } from "./overloadProblems.ts"

interface Refusal {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** A problem as JSON, for responses that do not pass the router. */
export const problemText = (problem: { readonly detail?: string | undefined }, status: number): string =>
  JSON.stringify({ ...problem, message: problem.detail, status })

const refusal = (settings: HttpSettings["Service"], status: number, message: string): Refusal =>
  closing(settings, status, new BadRequest({ message }))

/** The answer to a connection that is closed then. */
const closing = (
  settings: HttpSettings["Service"],
  status: number,
  problem: Parameters<typeof problemText>[0],
  more: Readonly<Record<string, string>> = {}
): Refusal => {
  const body = problemText(problem, status)
  return {
    status,
    body,
    headers: {
      ...more,
      "Content-Type": "application/problem+json",
      "Content-Length": String(Buffer.byteLength(body)),
      ...commonHeaders(settings),
      [idHeader]: newId(),
      Connection: "close"
    }
  }
}

/** Rejects a request target that is neither a path nor an absolute URL. */
export const refuseTarget = (
  settings: HttpSettings["Service"],
  counts: Counts,
  response: ServerResponse
): void => {
  const { body, headers, status } = refusal(
    settings,
    400,
    "Invalid request target. Send a path such as /v1/networks, or an absolute http or https URL."
  )
  counts.refused("unreadable")
  counts.answered(counts.refusals, status, 0)
  response.writeHead(status, headers).end(body)
}

/** The error that Node reports for a connection it gives up on. */
export interface ConnectionError extends Error {
  readonly code?: string
}

const reasons: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The headers are larger than 32 KiB, the limit."],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    "The request did not arrive in time: headers must arrive within 10 seconds, the whole request within 30."
  ]
}

/**
 * Responds to input that is not HTTP or did not arrive in time, then closes the connection. `begun`: a response to the client
 * is under way, so it would read these bytes as part of that.
 */
export const refuseUnreadable = (
  settings: HttpSettings["Service"],
  counts: Counts,
  error: ConnectionError,
  socket: Duplex,
  begun: boolean
): void => {
  if (error.code === "ECONNRESET" || !socket.writable || begun) return void socket.destroy()
  const [status, message] = reasons[error.code ?? ""] ?? [400, "This is not a valid HTTP/1.1 request."]
  counts.refused("unreadable")
  counts.answered(counts.refusals, status, 0)
  end(socket, refusal(settings, status, message))
}

const end = (socket: Duplex, { body, headers, status }: Refusal): void => {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  // Without this, a client that keeps its side open would hold the connection forever.
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, "", body].join("\r\n"), () =>
    socket.destroy()
  )
}

/** Tells a client that the service is full, whatever it was about to ask, and closes. */
export const refuseConnection = (settings: HttpSettings["Service"], socket: Duplex): void => {
  if (!socket.writable) return void socket.destroy()
  const { headers, problem, status } = fullProblem()
  end(socket, closing(settings, status, problem, headers))
}
