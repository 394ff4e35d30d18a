/**
 * Handles a message around the SDK: rejects bad requests and picks one of the SDK's two transports. Every request gets a
 * new server, so any replica can respond, and every response is complete JSON, so it can be signed.
 */
import {
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  WebStandardStreamableHTTPServerTransport
} from "@modelcontextprotocol/server"
import { refusalOf } from "./refusals.ts"

export interface Policy {
  /** Host names of the service, without ports. */
  readonly hosts: ReadonlySet<string>
  /** Origins of web pages that may call; `any` for the public edition. */
  readonly origins: ReadonlySet<string> | "any"
}

/** Loopback host names, as `URL` normalizes them. */
export const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

/** The most messages in a batch. */
export const largestBatch = 10

/** The deepest nesting of objects and arrays. */
const deepest = 32

const refuse = (status: number, code: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status, headers })

/** Rejects requests for another host, or from a web page that may not call. */
export const checkOrigin = (headers: Headers, { hosts, origins }: Policy): Response | undefined => {
  const host = parsed(`http://${headers.get("host") ?? ""}`)
  if (host === undefined || !hosts.has(host.hostname)) {
    return refuse(403, -32000, "Host does not match the public address of this service.")
  }
  const origin = headers.get("origin")
  if (origin === null) return undefined
  const from = parsed(origin)
  const isListed = from !== undefined && from.origin !== "null" && from.origin === origin.toLowerCase()
  // Pages on this machine may call a service on this machine. DNS rebinding arrives with a different origin.
  const isLocal = from !== undefined && loopback.has(from.hostname) && loopback.has(host.hostname)
  return isListed && (isLocal || origins === "any" || origins.has(from.origin))
    ? undefined
    : refuse(
        403,
        -32000,
        "Web pages of this origin may not call this service. Those of any origin may call /mcp/public."
      )
}

const parsed = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined)

const isTooDeep = (value: unknown): boolean => {
  let level: ReadonlyArray<unknown> = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > deepest) return true
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []))
  }
  return false
}

const idOf = (message: unknown): unknown =>
  typeof message === "object" && message !== null && "id" in message ? message.id : undefined

/** Only version 2025-03-26 has batches; it is also assumed for requests without a version. */
const checkBatch = (messages: ReadonlyArray<unknown>, version: string | null): Response | undefined => {
  if (version !== null && version !== "2025-03-26") {
    return refuse(
      400,
      -32600,
      `Protocol version ${version.slice(0, 20)} has no batches (only 2025-03-26 does). Send one message.`
    )
  }
  if (messages.length === 0) return refuse(400, -32600, "The batch is empty. Send at least one message.")
  const ids = messages.map(idOf).filter((id) => id !== undefined)
  if (new Set(ids).size < ids.length)
    return refuse(400, -32600, "Each request in a batch must have a different id.")
  return messages.length > largestBatch
    ? refuse(400, -32600, `The batch has ${messages.length} messages; the limit is ${largestBatch}.`)
    : undefined
}

const widened = (headers: Headers): Headers => {
  const wide = new Headers(headers)
  wide.set("accept", "application/json, text/event-stream")
  return wide
}

const isListen = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "method" in body && body.method === "subscriptions/listen"

/** Versions before 2026-07-28 have a separate code for a missing resource, which the SDK no longer sends. */
const withNotFound = (message: JSONRPCMessage): JSONRPCMessage =>
  "error" in message && ResourceNotFoundError.isInstance(asError(message.error))
    ? { ...message, error: { ...message.error, code: ProtocolErrorCode.ResourceNotFound } }
    : message

const asError = ({ code, data, message }: JSONRPCErrorResponse["error"]) =>
  ProtocolError.fromError(code, message, data)

const legacy = async (request: Request, parsedBody: unknown, server: Server): Promise<Response> => {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(withNotFound(message), options)
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody })
  } finally {
    await server.close()
  }
}

/** The SDK answers a batch of one request without the array. */
const asBatch = async (answer: Response): Promise<Response> => {
  if (answer.status !== 200) return answer
  const body: unknown = await answer.json()
  return Response.json(Array.isArray(body) ? body : [body])
}

/** How messages are answered in the turn of their sender. */
export interface Turns<A> {
  readonly inTurn: (
    sender: A,
    work: () => Promise<Response>,
    spends: "alone" | "with others",
    crowded: () => Response
  ) => Promise<Response>
  /** Whether a message spends its time with others. */
  readonly spendsWithOthers: (message: unknown) => boolean
}

const crowded = (body: unknown) => () => {
  const message = "Too many calls from your network wait for their answers. Try again in 1 s."
  const result = refusalOf(body, { error: "too_many_requests", message, retry_after: 1 })
  const headers = { "retry-after": "1" }
  return result === undefined ? refuse(429, -32000, message, headers) : Response.json(result, { headers })
}

/**
 * Answers messages with servers from a factory; `A` describes the sender. `count` counts the messages of a batch after the
 * first one and returns the seconds to wait if there are too many.
 */
export const makeTransport =
  <A>(
    make: (sender: A) => Server,
    count: (sender: A, calls: number) => Promise<number | undefined>,
    { inTurn, spendsWithOthers }: Turns<A>
  ) =>
  /** `text` is the body; undefined if it was too large. */
  async (url: string, headers: Headers, text: string | undefined, sender: A): Promise<Response> => {
    if (!isJsonContentType(headers.get("content-type"))) {
      return refuse(415, -32000, "Unsupported media type. Send Content-Type: application/json.")
    }
    if (text === undefined)
      return refuse(413, -32000, "The body is larger than 64 KiB, the limit. Send less at a time.")
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return refuse(400, -32700, "Parse error: the body is not JSON.")
    }
    if (isTooDeep(body)) return refuse(400, -32600, `The body is nested deeper than ${deepest} levels.`)
    if (Array.isArray(body)) {
      const refused = checkBatch(body, headers.get("mcp-protocol-version"))
      if (refused !== undefined) return refused
      const wait = await count(sender, body.length - 1)
      if (wait !== undefined) {
        const message = `Rate limit reached: each message of a batch counts as a call. Try again in ${wait} s.`
        return refuse(429, -32000, message, { "retry-after": String(wait) })
      }
    }
    const messages: ReadonlyArray<unknown> = Array.isArray(body) ? body : [body]
    const spends = messages.some(spendsWithOthers) ? "with others" : "alone"
    return inTurn(
      sender,
      () =>
        answer(
          new Request(url, { method: "POST", headers: widened(headers), body: text }),
          body,
          make(sender)
        ),
      spends,
      crowded(body)
    )
  }

const answer = async (request: Request, body: unknown, server: Server): Promise<Response> => {
  if (await isLegacyRequest(request, body)) {
    const answered = await legacy(request, body, server)
    return Array.isArray(body) ? asBatch(answered) : answered
  }
  if (isListen(body)) {
    // A stream could not be signed, and lists never change while the service runs.
    const error = {
      code: -32601,
      message: "Subscriptions are not supported: lists change only with a release."
    }
    return Response.json({ jsonrpc: "2.0", id: idOf(body) ?? null, error }, { status: 404 })
  }
  return createMcpHandler(() => server, { legacy: "reject" }).fetch(request, { parsedBody: body })
}
