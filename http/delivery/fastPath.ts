/**
 * The Node server's `request` listener. Sends cached responses and unsigned refusals directly, both ready as bytes, and
 * passes everything else to the normal handler.
 */
import {
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
  validateHeaderName,
  validateHeaderValue
} from "node:http"
import { Redacted } from "effect"
import { isKey } from "../../core/credits/Accounts.ts"
import type { MetricsPage } from "../metrics/page.ts"
import type { RateLimits, Verdict } from "../RateLimits.ts"
import { idHeader, requestId } from "../requestId.ts"
import { targetPath } from "../signing/sign.ts"
import { hostProblem, originForm } from "../target.ts"
import { refuseTarget } from "../unreadable.ts"
import { isConfirmed } from "./answer.ts"
import { type Entry, formOf } from "./ByteCache.ts"
import { codingFor } from "./coding.ts"
import { type DeliveryContext, isRead, networkOfRequest, signed } from "./deliver.ts"
import type { Unsigned } from "./refusals.ts"

export const makeFastPath =
  (
    delivery: DeliveryContext,
    limits: RateLimits["Service"],
    handler: (request: IncomingMessage, response: ServerResponse) => void,
    metrics: MetricsPage
  ) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const began = performance.now()
    const { counts } = delivery
    const target = originForm(request.url ?? "")
    if (target === undefined) return void refuseTarget(delivery.settings, counts, response)
    // From here on the target has one form, so the router and the signature see the same path.
    request.url = target
    if (target === "/metrics" && metrics(request, response)) return
    const key = header(request.headers["x-api-key"])
    // The limits of a key that may exist are those of its account, and `Host` decides where a request belongs.
    if ((key !== undefined && isKey(Redacted.make(key))) || hostProblem(request) !== undefined) {
      countAtEnd(request, response, began, delivery)
      return void handler(request, response)
    }
    const verdict = ask(request, limits, delivery)
    if (!verdict.allowed) {
      const refused = delivery.refusals.overLimit(verdict)
      return void write(refused, request, response, verdict.headers, began, delivery)
    }
    const ready = (key === undefined ? find(request, delivery) : undefined) ?? delivery.refusals.of(request)
    if (ready !== undefined) return void write(ready, request, response, verdict.headers, began, delivery)
    delivery.asked.set(request, verdict)
    countAtEnd(request, response, began, delivery)
    handler(request, response)
  }

/** A response that is not ready counts once it is sent. One that the client gave up is told by 499, as nginx does. */
const countAtEnd = (
  { method = "GET", url = "/" }: IncomingMessage,
  response: ServerResponse,
  began: number,
  { counts }: DeliveryContext
): void =>
  void response.once("close", () => {
    const status = response.writableFinished ? response.statusCode : 499
    counts.answered(counts.meterOf(method, url), status, performance.now() - began)
  })

const find = (request: IncomingMessage, delivery: DeliveryContext): Ready | undefined => {
  const { headers, method = "GET", url = "/" } = request
  if (!isRead(method) || headers["content-encoding"] !== undefined) return undefined
  const form = formOf(codingFor(header(headers["accept-encoding"])), headers["accept"])
  return form === undefined ? undefined : delivery.cache.get(url, form, delivery.now() + delivery.dataOffset)
}

/** A cached response, or a refusal that is not signed. */
type Ready = Entry | Unsigned

const isSigned = (ready: Ready): ready is Entry => "basis" in ready

/** Asks the limits of a caller without an account. */
const ask = (request: IncomingMessage, limits: RateLimits["Service"], delivery: DeliveryContext): Verdict =>
  limits.keyless({
    network: networkOfRequest(request, delivery.settings.trustProxy),
    path: targetPath(request.url ?? "/"),
    pays: "payment-signature" in request.headers || "x-payment" in request.headers
  })

const write = (
  ready: Ready,
  request: IncomingMessage,
  response: ServerResponse,
  ofLimits: ReadonlyArray<string>,
  began: number,
  delivery: DeliveryContext
): void => {
  const { answer } = ready
  const { headers, method = "GET", url = "/" } = request
  const added =
    answer.status < 400 ? ofLimits : [...ofLimits, idHeader, requestId(headers, delivery.settings.trustProxy)]
  const confirmed = isConfirmed(headers["if-none-match"], answer.etag)
  if (
    !confirmed &&
    method === "GET" &&
    takesHead(response) &&
    response.shouldKeepAlive &&
    isLatest(request)
  ) {
    response._header = `${headOf(ready, url, delivery)}${lines(added)}\r\n`
    response.end(answer.bytes)
    count(ready, method, url, answer.status, began, delivery)
    return
  }
  const by = isSigned(ready) ? signed(answer, method, url, confirmed, delivery.sign) : []
  response.writeHead(confirmed ? 304 : answer.status, [
    ...(confirmed ? answer.confirming : answer.headers),
    ...answer.caching(delivery.now()),
    ...by,
    ...added
  ])
  if (confirmed || method === "HEAD") response.end()
  else response.end(answer.bytes)
  count(ready, method, url, confirmed ? 304 : answer.status, began, delivery)
}

const count = (
  ready: Ready,
  method: string,
  url: string,
  status: number,
  began: number,
  { counts }: DeliveryContext
): void => {
  const millis = performance.now() - began
  if (!isSigned(ready)) {
    counts.refused(ready.error)
    counts.answered(counts.refusals, status, millis)
    return
  }
  counts.hits += 1
  const meter = (method === "GET" ? ready.meter : undefined) ?? counts.meterOf(method, url)
  if (method === "GET") ready.meter = meter
  counts.answered(meter, status, millis)
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

/** The head of a response without the rate limit headers, built once per second. */
const headOf = (ready: Ready, url: string, delivery: DeliveryContext): string => {
  const second = delivery.sign.second()
  if (ready.head?.second === second) return ready.head.text
  const { answer } = ready
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n`,
    lines(answer.headers),
    lines(answer.caching(second * 1000)),
    ...(isSigned(ready) ? [lines(signed(answer, "GET", url, false, delivery.sign))] : []),
    lines(["Date", new Date(second * 1000).toUTCString(), "Connection", "keep-alive"])
  ].join("")
  // Flattens the string: V8 would otherwise join its pieces again for every response.
  const text = Buffer.from(head, "latin1").toString("latin1")
  ready.head = { second, text }
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
