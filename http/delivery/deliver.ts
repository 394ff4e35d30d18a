/**
 * The Node server's `request` listener, which every request passes: its target, its limits, its name, the cached bytes of that
 * name. Only an answer that is not ready starts a fiber (`makeResponse.ts`).
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Redacted } from "effect"
import { isKeyOf } from "../../core/credits/keys/KeyMode.ts"
import { guarded } from "../../core/process/guarded.ts"
import type { Connections } from "../admission/Connections.ts"
import { isOfTestMode } from "../admission/paths.ts"
import { basePathOf } from "../HttpSettings.ts"
import type { MetricsPage } from "../metrics/page.ts"
import { requestId } from "../request/requestId.ts"
import { belowBase, originForm } from "../request/target.ts"
import type { DeliveryContext } from "./DeliveryContext.ts"
import { refuseTarget } from "./malformed.ts"
import type { Verdict } from "./RateLimits.ts"
import { callerOf, carry, keyOf, type Ready, readyFor } from "./ready.ts"
import { hasWay } from "./tellRefusal.ts"
import type { HandOver } from "./testService.ts"
import { bytesSent, isSigned, send } from "./write.ts"

/** `start` makes the answers that are not ready, each in a fiber; `handOver` gives those of test mode to their service. */
export const makeDeliver = (
  delivery: DeliveryContext,
  start: (request: IncomingMessage, response: ServerResponse) => void,
  metrics: MetricsPage,
  connections: Connections,
  handOver: HandOver | undefined
) => {
  const { counts, limits, refusals, settings } = delivery
  const basePath = basePathOf(settings.baseUrl)
  return (request: IncomingMessage, response: ServerResponse): void => {
    const began = performance.now()
    if (!connections.begun(request, response)) return
    const target = originForm(request.url ?? "")
    if (target === undefined) return void refuseTarget(settings, counts, response)
    // From here on the target has one form, so the router and the signature see the same path.
    request.url = belowBase(target, basePath)
    if (connections.refusal(request) !== undefined) {
      response.shouldKeepAlive = false
      return void sendNow(refusals.full(), request, response, uncharged, began, delivery)
    }
    if (handOver !== undefined && isOfTestMode(request.url)) {
      countAtEnd(request, response, began, delivery)
      const id = () => requestId(request.headers, settings.trustProxy)
      const away = () => void send(refusals.testAway(), request, response, { ofLimits: [], id }, delivery)
      return void handOver(request, response, away)
    }
    if (target === "/metrics" && metrics(request, response)) return
    const key = keyOf(request)
    // The limits of a key that may exist are those of its account, which the fiber looks up.
    if (key === undefined || !isKeyOf(settings.testMode.keys, Redacted.make(key))) {
      const verdict = limits.keyless(callerOf(request, settings))
      const ready =
        verdict.allowed || !hasWay(request, delivery)
          ? readyFor(request, verdict, key === undefined ? "" : undefined, delivery)
          : undefined
      if (ready !== undefined) return void sendNow(ready, request, response, verdict, began, delivery)
      carry(request, response, verdict)
    } else carry(request, response, undefined)
    countAtEnd(request, response, began, delivery)
    start(request, response)
  }
}

/** An answer that is not ready counts once it is sent. One that the client gave up is told by 499, as nginx does. */
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

/** Of calls that no limit has counted. */
const uncharged: Verdict = { allowed: false, headers: [] }

/** Sends and counts an answer that is ready, and charges its caller. */
const sendNow = (
  ready: Ready,
  request: IncomingMessage,
  response: ServerResponse,
  verdict: Verdict,
  began: number,
  delivery: DeliveryContext
): void => {
  const { headers, method = "GET", url = "/" } = request
  const { counts, settings } = delivery
  const id = () => requestId(headers, settings.trustProxy)
  const status = send(ready, request, response, { ofLimits: verdict.headers, id }, delivery)
  const millis = performance.now() - began
  verdict.charge?.({ millis, bytes: bytesSent(ready.answer, method, status) })
  if (!isSigned(ready)) return void counts.answered(counts.refusals, status, millis)
  const meter = (method === "GET" ? ready.meter : undefined) ?? counts.meterOf(method, url)
  if (method === "GET") ready.meter = meter
  counts.answered(meter, status, millis)
}
