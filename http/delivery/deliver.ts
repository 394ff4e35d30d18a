/**
 * The Node server's `request` listener. Sends cached responses and unsigned refusals directly, both ready as bytes, and
 * passes everything else to the normal handler.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Redacted } from "effect"
import { isKey } from "../../core/credits/Accounts.ts"
import { guarded } from "../../core/data/guarded.ts"
import type { Connections } from "../admission/Connections.ts"
import type { MetricsPage } from "../metrics/page.ts"
import { networkOfRequest } from "../request/origin.ts"
import { idHeader, requestId } from "../request/requestId.ts"
import { hostProblem, originForm } from "../request/target.ts"
import { targetPath } from "../signing/sign.ts"
import { type Entry, formOf } from "./ByteCache.ts"
import { codingFor } from "./coding.ts"
import { type DeliveryContext, isRead } from "./deliver.ts"
import { refuseTarget } from "./malformed.ts"
import type { RateLimits, Verdict } from "./RateLimits.ts"
import type { Unsigned } from "./refusals.ts"
import { isSigned, writeReady } from "./write.ts"

export const makeFastPath =
  (
    delivery: DeliveryContext,
    limits: RateLimits["Service"],
    handler: (request: IncomingMessage, response: ServerResponse) => void,
    metrics: MetricsPage,
    connections: Connections
  ) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const began = performance.now()
    const { counts } = delivery
    if (!connections.begun(request, response)) return
    const target = originForm(request.url ?? "")
    if (target === undefined) return void refuseTarget(delivery.settings, counts, response)
    // From here on the target has one form, so the router and the signature see the same path.
    request.url = target
    if (connections.refusal(request) !== undefined) {
      response.shouldKeepAlive = false
      return void write(delivery.refusals.full(), request, response, [], began, delivery)
    }
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
  void response.once(
    "close",
    guarded("counting a response", () => {
      const status = response.writableFinished ? response.statusCode : 499
      counts.answered(counts.meterOf(method, url), status, performance.now() - began)
    })
  )

const find = (request: IncomingMessage, delivery: DeliveryContext): Entry | undefined => {
  const { headers, method = "GET", url = "/" } = request
  if (!isRead(method) || headers["content-encoding"] !== undefined) return undefined
  const form = formOf(codingFor(header(headers["accept-encoding"])), headers["accept"])
  return delivery.cache.get(url, form, delivery.now() + delivery.dataOffset)
}

/** Asks the limits of a caller without an account. */
const ask = (request: IncomingMessage, limits: RateLimits["Service"], delivery: DeliveryContext): Verdict =>
  limits.keyless({
    network: networkOfRequest(request, delivery.settings.trustProxy),
    path: targetPath(request.url ?? "/"),
    pays: "payment-signature" in request.headers || "x-payment" in request.headers
  })

const write = (
  ready: Entry | Unsigned,
  request: IncomingMessage,
  response: ServerResponse,
  ofLimits: ReadonlyArray<string>,
  began: number,
  delivery: DeliveryContext
): void => {
  const { headers, method = "GET", url = "/" } = request
  const added =
    ready.answer.status < 400
      ? ofLimits
      : [...ofLimits, idHeader, requestId(headers, delivery.settings.trustProxy)]
  const status = writeReady(ready, request, response, added, delivery)
  count(ready, method, url, status, began, delivery)
}

const count = (
  ready: Entry | Unsigned,
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

const header = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.join(",")
