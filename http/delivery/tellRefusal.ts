/** Tells a refusal by the limits in the protocol of its route, where that has a way: its clients would drop a problem unread. */
import type { IncomingMessage } from "node:http"
import { Effect } from "effect"
import { makeAnswer, sha256Hex } from "./answer.ts"
import type { Call } from "./Call.ts"
import type { DeliveryContext } from "./DeliveryContext.ts"
import type { Unsigned } from "./refusals.ts"

/** Of a request that is refused no more is read. */
const longest = 8 * 1024

const wayOf = ({ headers, method, url = "/" }: IncomingMessage, { routes }: DeliveryContext) =>
  Number(headers["content-length"] ?? Number.NaN) <= longest
    ? routes.at(url).find((route) => route.method === method)?.refusal
    : undefined

/** Whether the route of a request has a way to tell a refusal. */
export const hasWay = (request: IncomingMessage, delivery: DeliveryContext): boolean =>
  wayOf(request, delivery) !== undefined

/** The refusal as an answer of the protocol; undefined where it stays a problem. */
export const tellRefusal = Effect.fnUntraced(function* (
  { answer, error }: Unsigned,
  { request, source }: Call,
  delivery: DeliveryContext
) {
  const way = wayOf(source, delivery)
  if (way === undefined) return undefined
  const text = yield* Effect.orElseSucceed(request.text, () => "")
  const content = yield* way(text, Buffer.from(answer.bytes).toString("utf8"))
  if (content === undefined) return undefined
  const body = Buffer.from(JSON.stringify(content))
  const at = answer.headers.findIndex((header) => header.toLowerCase() === "retry-after")
  const wait = at < 0 ? undefined : answer.headers[at + 1]
  const headers = { "cache-control": "no-store", ...(wait === undefined ? {} : { "retry-after": wait }) }
  const contentType = "application/json"
  const ready: Unsigned = {
    answer: makeAnswer(
      { status: 200, contentType, body, sha256: sha256Hex(body), headers },
      { coding: "identity", bytes: body },
      false,
      delivery.common
    ),
    error,
    head: undefined
  }
  return ready
})
