/**
 * The Node server's `request` listener. Sends cached responses directly and passes everything else to the normal handler.
 * It knows nothing about routes: it only checks that the request has no key, is a GET or HEAD, and is within the limits.
 */
import {
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue
} from "node:http"
import type { Limits, Verdict } from "../Limits.ts"
import { targetPath } from "../signing/sign.ts"
import { hostProblem, originForm } from "../target.ts"
import { refuseTarget } from "../unreadable.ts"
import { isConfirmed } from "./answer.ts"
import { type Entry, formOf } from "./ByteCache.ts"
import { codingFor } from "./coding.ts"
import { type Delivery, isRead, networkOfRequest, signed } from "./deliver.ts"

export const makeFastPath =
  (
    delivery: Delivery,
    limits: Limits["Service"],
    handler: (request: IncomingMessage, response: ServerResponse) => void
  ) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const target = originForm(request.url ?? "")
    if (target === undefined) return void refuseTarget(delivery.settings, response)
    // From here on the target has one form, so the router and the signature see the same path.
    request.url = target
    const entry = find(request, delivery)
    const verdict = entry === undefined ? undefined : ask(request, limits, delivery)
    if (entry !== undefined && verdict?.allowed === true) {
      write(entry, request, response, verdict.headers, delivery)
    } else handler(request, response)
  }

const find = (request: IncomingMessage, delivery: Delivery) => {
  const { headers, method = "GET", url = "/" } = request
  if (!isRead(method) || headers["x-api-key"] !== undefined || headers["content-encoding"] !== undefined) {
    return undefined
  }
  if (hostProblem(request) !== undefined) return undefined
  const form = formOf(codingFor(header(headers["accept-encoding"])), headers["accept"])
  return form === undefined ? undefined : delivery.cache.get(url, form, delivery.now() + delivery.dataOffset)
}

/** Asks the limits. A rejection is stored for the handler, so no call is counted twice. */
const ask = (request: IncomingMessage, limits: Limits["Service"], delivery: Delivery): Verdict => {
  const verdict = limits.keyless({
    network: networkOfRequest(request, delivery.settings.trustProxy),
    path: targetPath(request.url ?? "/"),
    // Sales are never cached.
    pays: false
  })
  if (!verdict.allowed) delivery.asked.set(request, verdict)
  return verdict
}

const write = (
  entry: Entry,
  request: IncomingMessage,
  response: ServerResponse,
  ofLimits: ReadonlyArray<string>,
  delivery: Delivery
): void => {
  const { answer } = entry
  const { headers, method = "GET", url = "/" } = request
  const confirmed = isConfirmed(headers["if-none-match"], answer.etag)
  if (
    !confirmed &&
    method === "GET" &&
    takesHead(response) &&
    response.shouldKeepAlive &&
    isLatest(request)
  ) {
    response._header = `${headOf(entry, url, delivery)}${lines(ofLimits)}\r\n`
    response.end(answer.bytes)
    return
  }
  const by = signed(answer, method, url, confirmed, delivery.sign)
  response.writeHead(confirmed ? 304 : answer.status, [
    ...(confirmed ? answer.confirming : answer.headers),
    ...answer.caching(delivery.now()),
    ...by,
    ...ofLimits
  ])
  if (confirmed || method === "HEAD") response.end()
  else response.end(answer.bytes)
}

/**
 * Node stores the text of the response head here. The field is not public, but setting it directly saves a third of the
 * response time. If it does not exist, the normal way is used.
 */
interface TakesHead extends ServerResponse {
  _header: string | null
}

const takesHead = (response: ServerResponse): response is TakesHead =>
  "_header" in response && response._header === null

/** HTTP/1.0 needs explicit keep-alive headers, so it takes the normal way. */
const isLatest = ({ httpVersionMajor, httpVersionMinor }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && httpVersionMinor === 1

/** The head of an entry without the rate limit headers, built once per second. */
const headOf = (entry: Entry, url: string, delivery: Delivery): string => {
  const second = delivery.sign.second()
  if (entry.head?.second === second) return entry.head.text
  const { answer } = entry
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`,
    lines(answer.headers),
    lines(answer.caching(second * 1000)),
    lines(signed(answer, "GET", url, false, delivery.sign)),
    lines(["Date", new Date(second * 1000).toUTCString(), "Connection", "keep-alive"])
  ].join("")
  // Flattens the string: V8 would otherwise join its pieces again for every response.
  const text = Buffer.from(head, "latin1").toString("latin1")
  entry.head = { second, text }
  return text
}

const lines = (headers: ReadonlyArray<string>): string => {
  let text = ""
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? ""
    const value = headers[at + 1] ?? ""
    validateHeaderName(name)
    validateHeaderValue(name, value)
    text += `${name}: ${value}\r\n`
  }
  return text
}

const header = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.join(",")
