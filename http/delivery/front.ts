/**
 * The node server's `request` listener: what the byte cache has is written at once, everything else goes to the
 * ordinary handler. It reads no route and knows no rule but those of a ready answer: no key, GET or HEAD, limits asked.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Limits, Verdict } from "../limits.ts"
import { targetPath } from "../signing/sign.ts"
import { isConfirmed } from "./answer.ts"
import type { Entry } from "./ByteCache.ts"
import { codingFor } from "./coding.ts"
import { type Delivery, isRead, networkOfRequest, signed } from "./deliver.ts"

export const makeFront =
  (
    delivery: Delivery,
    limits: typeof Limits.Service,
    handler: (request: IncomingMessage, response: ServerResponse) => void
  ) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const entry = find(request, delivery)
    const verdict = entry === undefined ? undefined : ask(request, limits, delivery)
    if (entry !== undefined && verdict?.allowed === true) {
      write(entry, request, response, verdict.headers, delivery)
    } else handler(request, response)
  }

const find = ({ headers, method = "GET", url = "/" }: IncomingMessage, delivery: Delivery) => {
  if (!isRead(method) || headers["x-api-key"] !== undefined || headers["content-encoding"] !== undefined) {
    return undefined
  }
  delivery.tick()
  return delivery.cache.get(url, codingFor(header(headers["accept-encoding"])), delivery.now())
}

/** Asks the limits. The handler finds a refusal with the request, so that no call is counted twice. */
const ask = (request: IncomingMessage, limits: typeof Limits.Service, delivery: Delivery): Verdict => {
  const verdict = limits.keyless({
    network: networkOfRequest(request, delivery.settings.trustProxy),
    path: targetPath(request.url ?? "/")
  })
  if (!verdict.allowed) delivery.asked.set(request, verdict)
  return verdict
}

const write = (
  entry: Entry,
  { headers, method = "GET", url = "/" }: IncomingMessage,
  response: ServerResponse,
  ofLimits: ReadonlyArray<string>,
  delivery: Delivery
): void => {
  const { answer } = entry
  if (isConfirmed(headers["if-none-match"], answer.etag)) {
    const by = signed(answer, method, url, true, delivery.sign)
    response.writeHead(304, [...answer.confirming, ...by, ...ofLimits])
    response.end()
    return
  }
  const all = ready(entry, method, url, delivery)
  response.writeHead(answer.status, ofLimits.length === 0 ? all : [...all, ...ofLimits])
  if (method === "HEAD") response.end()
  else if (entry.text === undefined) response.end(answer.bytes)
  else response.end(entry.text, "latin1")
}

/** All headers of an entry, put together once a second. */
const ready = (entry: Entry, method: string, url: string, delivery: Delivery): Array<string> => {
  const second = delivery.sign.second()
  const kept = entry.signed
  if (kept !== undefined && kept.second === second && kept.method === method) return kept.headers
  const headers = [...entry.answer.headers, ...signed(entry.answer, method, url, false, delivery.sign)]
  entry.signed = { second, method, headers }
  return headers
}

const header = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.join(",")
