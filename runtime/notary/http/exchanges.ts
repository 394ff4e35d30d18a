/** Which response answers which request, and whether it is whole: by their order, and by when they came. */
import { demand } from "../Refused.ts"
import type { Arrival } from "../tape.ts"
import type { Session } from "../tls/session.ts"
import { decodedBody } from "./decode.ts"
import { type HttpRequest, requestsIn } from "./requests.ts"
import { type HttpResponse, responseAt } from "./responses.ts"
import { Stream } from "./stream.ts"

export interface HttpExchange {
  /** Undefined where it is hidden. */
  readonly request: HttpRequest | undefined
  readonly response: HttpResponse
  /** The response's body after content decoding. */
  readonly content: Buffer
  /** When the response was whole. */
  readonly answered: Arrival
}

export interface HttpExchanges {
  readonly exchanges: ReadonlyArray<HttpExchange>
  /** True if something was left over at the end: a request without its answer, or a part of one. */
  readonly cut: boolean
}

/** The final response at an offset, after any interim ones (RFC 9110, 15.2). */
const finalAt = (
  bytes: Buffer,
  from: number,
  method: string | undefined,
  isClosed: boolean
): HttpResponse | undefined => {
  let response = responseAt(bytes, from, method, isClosed)
  while (response !== undefined && response.status < 200)
    response = responseAt(bytes, response.end, method, isClosed)
  return response
}

/** Nobody else can have asked: each request came after the answer before it, and each answer after its request. */
const checkOrder = (request: HttpRequest, before: Arrival | undefined, answered: Arrival): void => {
  demand(
    before === undefined || request.first.n > before.n,
    "a request before the answer to the one before it"
  )
  demand(answered.n > request.last.n, "an answer before its request")
}

/**
 * The whole exchanges of a session. Where requests are hidden there can be only one, since nobody could tell which of several
 * answers belongs to what. `most` bounds a body after content decoding, in bytes.
 */
export const exchangesOf = (
  { fromHost, toHost }: Pick<Session, "fromHost" | "toHost">,
  host: string,
  most: number
): HttpExchanges => {
  const answers = new Stream(fromHost.parts)
  const requests = toHost === undefined ? undefined : requestsIn(new Stream(toHost.parts), host)
  const exchanges: Array<HttpExchange> = []
  let at = 0
  while (at < answers.bytes.length) {
    const request = requests?.[exchanges.length]
    demand(requests === undefined || request !== undefined, "an answer without a request")
    const response = finalAt(answers.bytes, at, request?.method, fromHost.closed)
    if (request !== undefined) checkOrder(request, exchanges.at(-1)?.answered, answers.firstAt(at))
    if (response === undefined) break
    const answered = answers.lastAt(response.end - 1)
    exchanges.push({ request, response, content: decodedBody(response, most), answered })
    at = response.end
    if (requests === undefined) checkOnly(response, at === answers.bytes.length)
  }
  return {
    exchanges,
    cut: at < answers.bytes.length || (requests !== undefined && requests.length > exchanges.length)
  }
}

/** The one answer to hidden requests: a HEAD, whose answer has no body, could pass the answer to a second request off as that body. */
const checkOnly = ({ body }: HttpResponse, isLast: boolean): void => {
  demand(isLast, "more than one answer to hidden requests")
  demand(body.toString("latin1", 0, 7) !== "HTTP/1.", "an answer within an answer")
}
