/** Requests that name no path of ours, so that there is nothing to sign: the answers without a signature. */
import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { BadRequest } from "../core/wire/problems/request.ts"
import { standing } from "./delivery/answer.ts"
import type { Settings } from "./Settings.ts"

interface Refusal {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const refusal = (settings: Settings["Service"], status: number, message: string): Refusal => {
  const problem = new BadRequest({ message })
  const body = JSON.stringify({ ...problem, message: problem.detail, status })
  return {
    status,
    body,
    headers: {
      "Content-Type": "application/problem+json",
      "Content-Length": String(Buffer.byteLength(body)),
      ...standing(settings),
      Connection: "close"
    }
  }
}

/** A request whose target is neither a path nor an absolute address. */
export const refuseTarget = (settings: Settings["Service"], response: ServerResponse): void => {
  const { body, headers, status } = refusal(
    settings,
    400,
    "The request target is not valid. Send a path such as /v1/networks, or an absolute http or https address."
  )
  response.writeHead(status, headers).end(body)
}

/** What node says of a connection that it cannot go on with. */
export interface ConnectionError extends Error {
  readonly code?: string
}

const reasons: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, "The headers are larger than 32 KiB."],
  ERR_HTTP_REQUEST_TIMEOUT: [
    408,
    "The request did not arrive in time: 10 seconds for the headers, 30 for all of it."
  ]
}

/** Where node keeps the answer that a connection is sending: the public way to it is the listener of each request. */
interface Answering extends Duplex {
  readonly _httpMessage: ServerResponse | null
}

const isAnswering = (socket: Duplex): socket is Answering =>
  "_httpMessage" in socket && socket._httpMessage !== null

/** Answers what cannot be read as HTTP, or did not come in time, and lets the connection go. */
export const refuseUnreadable = (
  settings: Settings["Service"],
  error: ConnectionError,
  socket: Duplex
): void => {
  // Bytes in the middle of an answer that is being sent would be taken for its own.
  const begun = isAnswering(socket) && socket._httpMessage?.headersSent === true
  if (error.code === "ECONNRESET" || !socket.writable || begun) return void socket.destroy()
  const [status, message] = reasons[error.code ?? ""] ?? [400, "This is not an HTTP/1.1 request."]
  const { body, headers } = refusal(settings, status, message)
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  // A client that keeps its side open would hold the connection for ever.
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, "", body].join("\r\n"), () =>
    socket.destroy()
  )
}
