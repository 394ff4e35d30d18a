/**
 * The way of a message around the SDK: what is refused before it, and which of its two transports answers. Every
 * request gets a server of its own, so any replica can answer, and every answer is whole JSON, so it can be signed.
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

export interface Policy {
  /** Host names of the service, parsed; ports do not count. */
  readonly hosts: ReadonlySet<string>
  /** Origins of pages that may call; `any` where nothing but public data can be had. */
  readonly origins: ReadonlySet<string> | "any"
}

/** Names of this machine, as a parsed URL writes them. */
export const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])

/** Messages of one batch. */
export const largestBatch = 10

/** Objects and arrays in one another. */
const deepest = 32

const refuse = (status: number, code: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status, headers })

/** The refusal of a request whose headers say that it is not for us, or from a page that may not call. */
export const checkOrigin = (headers: Headers, { hosts, origins }: Policy): Response | undefined => {
  const host = parsed(`http://${headers.get("host") ?? ""}`)
  if (host === undefined || !hosts.has(host.hostname)) {
    return refuse(403, -32000, "Host: this is not a name of the service (BASE_URL sets it).")
  }
  const origin = headers.get("origin")
  if (origin === null) return undefined
  const from = parsed(origin)
  const isListed = from !== undefined && from.origin !== "null" && from.origin === origin.toLowerCase()
  // A page on this machine may call a service on this machine: what rebinding brings has another origin.
  const isLocal = from !== undefined && loopback.has(from.hostname) && loopback.has(host.hostname)
  return isListed && (isLocal || origins === "any" || origins.has(from.origin))
    ? undefined
    : refuse(403, -32000, "Origin: pages of this origin may not call (MCP_ORIGINS lists those that may).")
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

/** Only 2025-03-26 has batches; a request that names no version is of it. */
const checkBatch = (messages: ReadonlyArray<unknown>, version: string | null): Response | undefined => {
  if (version !== null && version !== "2025-03-26") {
    return refuse(
      400,
      -32600,
      `Batches are part of 2025-03-26 alone, not of ${version.slice(0, 20)}: send one message.`
    )
  }
  if (messages.length === 0) return refuse(400, -32600, "An empty batch asks for nothing.")
  const ids = messages.map(idOf).filter((id) => id !== undefined)
  if (new Set(ids).size < ids.length)
    return refuse(400, -32600, "Each request of a batch has an id of its own.")
  return messages.length > largestBatch
    ? refuse(400, -32600, `A batch has at most ${largestBatch} messages, this one ${messages.length}.`)
    : undefined
}

const widened = (headers: Headers): Headers => {
  const wide = new Headers(headers)
  wide.set("accept", "application/json, text/event-stream")
  return wide
}

const isListen = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "method" in body && body.method === "subscriptions/listen"

/** Before 2026-07-28 a resource that is not there has a code of its own, which the SDK no longer sends. */
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

/** The SDK answers a batch of one request with its answer alone. */
const asBatch = async (answer: Response): Promise<Response> => {
  if (answer.status !== 200) return answer
  const given: unknown = await answer.json()
  return Response.json(Array.isArray(given) ? given : [given])
}

/**
 * Answers messages with servers of a factory: `A` is what it is told of the sender. `count` is asked for what a batch
 * holds beyond its first message: seconds to wait where that is too much.
 */
export const makeTransport =
  <A>(make: (sender: A) => Server, count: (sender: A, calls: number) => Promise<number | undefined>) =>
  /** `text` is the body; undefined when it was too large to be read. */
  async (url: string, headers: Headers, text: string | undefined, sender: A): Promise<Response> => {
    if (!isJsonContentType(headers.get("content-type"))) {
      return refuse(415, -32000, "Content-Type: send application/json.")
    }
    if (text === undefined) return refuse(413, -32000, "The body is larger than 64 KiB: send less at a time.")
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return refuse(400, -32700, "Parse error: the body is no JSON.")
    }
    if (isTooDeep(body)) return refuse(400, -32600, `The body is nested deeper than ${deepest} levels.`)
    if (Array.isArray(body)) {
      const refused = checkBatch(body, headers.get("mcp-protocol-version"))
      if (refused !== undefined) return refused
      const wait = await count(sender, body.length - 1)
      if (wait !== undefined) {
        const message = `The limit of calls is used up, and each message of a batch is one; the next is allowed in ${wait} s.`
        return refuse(429, -32000, message, { "retry-after": String(wait) })
      }
    }
    const request = new Request(url, { method: "POST", headers: widened(headers), body: text })
    if (await isLegacyRequest(request, body)) {
      const answer = await legacy(request, body, make(sender))
      return Array.isArray(body) ? asBatch(answer) : answer
    }
    if (isListen(body)) {
      // A stream would be the one answer that is not signed, and nothing that it could tell ever changes.
      const error = { code: -32601, message: "There are no subscriptions: lists change with a release only." }
      return Response.json({ jsonrpc: "2.0", id: idOf(body) ?? null, error }, { status: 404 })
    }
    const modern = createMcpHandler(() => make(sender), { legacy: "reject" })
    return modern.fetch(request, { parsedBody: body })
  }
