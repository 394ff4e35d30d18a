/**
 * The way of every request around the router: what is refused before it, what a failure becomes, and the answer's
 * coding, headers and signatures. Nothing leaves the service but through here or, for ready bytes, through `front.ts`.
 */
import type { IncomingMessage } from "node:http"
import { Clock, Effect, Exit, Redacted } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import { MethodNotAllowed, NotFound, UnsupportedMediaType } from "../../core/wire/problems/request.ts"
import { TooManyRequests } from "../../core/wire/problems/service.ts"
import { Limits, type Verdict } from "../Limits.ts"
import { addressOf, networkOf } from "../origin.ts"
import type { Routes } from "../routes.ts"
import type { Settings } from "../Settings.ts"
import { type Sign, targetPath } from "../signing/sign.ts"
import { hostProblem, targetProblem } from "../target.ts"
import { asProblem, failed, respond } from "../toProblem.ts"
import { type Answer, type Content, isConfirmed, makeAnswer, sha256Hex, standing } from "./answer.ts"
import type { ByteCache } from "./ByteCache.ts"
import { codingFor, type Encode } from "./coding.ts"
import { Exchange, fresh } from "./Exchange.ts"
import { givingUp } from "./idle.ts"
import { idle, Spooled } from "./Spool.ts"

export interface Delivery {
  readonly settings: Settings["Service"]
  readonly routes: Routes
  readonly sign: Sign
  readonly encode: Encode
  readonly cache: ByteCache
  /** Wall clock, epoch milliseconds. */
  readonly now: () => number
  /** Milliseconds by which the data clock is ahead of the wall clock. */
  readonly dataOffset: number
  /** Tells the cache what state it is in now. */
  readonly tick: () => void
  /** Verdicts of the limits that `front.ts` has already asked for, so that no call is counted twice. */
  readonly asked: WeakMap<object, Verdict>
}

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>

export const deliver = <R>(app: App<R>, delivery: Delivery) => {
  const common = standing(delivery.settings)
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const exchange = fresh()
    const asked = yield* Effect.exit(askLimits(request, delivery))
    const verdict = Exit.isSuccess(asked) ? asked.value : uncounted
    delivery.tick()
    const state = delivery.cache.state
    const response = yield* asked.pipe(
      Effect.flatMap(() => before(request, verdict, delivery.routes)),
      Effect.flatMap((refused) => (refused === undefined ? app : Effect.succeed(refused))),
      Effect.map((response) => HttpServerResponse.setHeaders(response, exchange.headers)),
      Effect.provideService(Exchange, exchange),
      Effect.flatMap((response) =>
        response.status < 400 || isForeign(request, delivery) ? Effect.succeed(response) : asProblem(response)
      ),
      Effect.catchCause((cause) => failed(cause, unmatched(request, delivery)))
    )
    const keyed = request.headers["x-api-key"] !== undefined
    if (response.body._tag === "Raw" && response.body.body instanceof Spooled) {
      return sendSpooled(response, response.body.body, request, verdict, delivery, { common, keyed })
    }
    const content = contentOf(response)
    if (content === undefined) {
      // A stream cannot be hashed before it is sent: it says what it is, unsigned.
      return HttpServerResponse.setHeaders(response, { ...common, ...pairs(verdict.headers) })
    }
    const wanted = codingFor(request.headers["accept-encoding"])
    const coded = yield* delivery.encode(wanted, content.sha256, content.contentType, content.body)
    const answer = makeAnswer(content, coded, keyed, common)
    if (!keyed && content.status === 200 && exchange.lasts === "snapshot" && isRead(request.method)) {
      delivery.tick()
      if (delivery.cache.state === state) {
        delivery.cache.put(request.url, wanted, answer, exchange.until - delivery.dataOffset)
      }
    }
    return send(answer, request, verdict, delivery.sign)
  })
}

/** What the limits say of a call where they cannot be asked: it is answered with that failure. */
const uncounted: Verdict = { allowed: false, headers: [] }

export const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

const askLimits = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  delivery: Delivery
) {
  const asked = delivery.asked.get(request.source)
  if (asked !== undefined) return asked
  const limits = yield* Limits
  const caller = {
    network: networkOfRequest(request.source, delivery.settings.trustProxy),
    path: targetPath(request.url),
    pays: "payment-signature" in request.headers || "x-payment" in request.headers
  }
  const key = request.headers["x-api-key"]
  return key === undefined ? limits.keyless(caller) : yield* limits.keyed(Redacted.make(key), caller)
})

const isNodeRequest = (source: object): source is IncomingMessage => "socket" in source

/** The originating network of a request. */
export const networkOfRequest = (source: object, trustProxy: number): string => {
  if (!isNodeRequest(source)) return ""
  const forwarded = source.headers["x-forwarded-for"]
  return networkOf(
    addressOf(source.socket.remoteAddress, typeof forwarded === "string" ? forwarded : undefined, trustProxy)
  )
}

/** The answer to a request that does not come as far as the router. */
const before = (
  request: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  routes: Routes
): Effect.Effect<HttpServerResponse.HttpServerResponse | undefined> => {
  if (!verdict.allowed) {
    const seconds = verdict.retryAfter ?? 60
    return respond(
      new TooManyRequests({
        message: `The limit of calls is used up; the next is allowed in ${seconds} s.`,
        retry_after: seconds
      }),
      { "retry-after": String(seconds) }
    )
  }
  const host = isNodeRequest(request.source) ? hostProblem(request.source) : undefined
  if (host !== undefined) return respond(host)
  const problem = targetProblem(request.url)
  if (problem !== undefined) return respond(problem)
  const coding = request.headers["content-encoding"]
  if (coding !== undefined && coding !== "identity") {
    return respond(
      new UnsupportedMediaType({
        message: "A body is taken without content coding.",
        valid_values: ["identity"]
      })
    )
  }
  if (request.method === "OPTIONS") {
    const methods = allowedAt(routes, request.url)
    if (methods.length > 0) return Effect.succeed(preflight(methods))
  }
  return Effect.succeed(undefined)
}

/** True where the route that answers speaks a protocol of its own, whose errors are not ours to form. */
const isForeign = (request: HttpServerRequest.HttpServerRequest, { routes }: Delivery): boolean =>
  routes.at(request.url).some(({ foreign, method }) => foreign && method === request.method)

const allowedAt = (routes: Routes, url: string): ReadonlyArray<string> => {
  const methods = routes.at(url).map((route) => route.method)
  if (methods.length === 0) return []
  return [...new Set([...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"])].sort()
}

const preflight = (methods: ReadonlyArray<string>) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      allow: methods.join(", "),
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers":
        "Content-Type, X-API-Key, Idempotency-Key, If-None-Match, PAYMENT-SIGNATURE, X-PAYMENT, " +
        "MCP-Protocol-Version, Mcp-Method, Mcp-Name",
      "access-control-max-age": "86400"
    }
  })

/** A path that is not there, or one with other methods. */
const unmatched = (
  request: HttpServerRequest.HttpServerRequest,
  { routes, settings }: Delivery
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  const methods = allowedAt(routes, request.url)
  if (methods.length === 0) {
    return respond(new NotFound({ message: "There is nothing at this address; /docs lists what there is." }))
  }
  const called = routes.at(request.url).find((route) => route.method !== "GET")
  return respond(
    new MethodNotAllowed({
      message: `${request.method} is no method of this path; it has ${methods.join(", ")}.`,
      valid_values: methods,
      ...(called === undefined ? {} : { hint: called.hint(settings.baseUrl) })
    }),
    { allow: methods.join(", ") }
  )
}

const ownHeaders = new Set(["content-type", "content-length"])

const headersOf = (response: HttpServerResponse.HttpServerResponse): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(response.headers).filter(([name]) => !ownHeaders.has(name)))

const contentOf = (response: HttpServerResponse.HttpServerResponse): Content | undefined => {
  const { body } = response
  if (body._tag !== "Uint8Array" && body._tag !== "Empty") return undefined
  const bytes = body._tag === "Empty" ? new Uint8Array() : body.body
  return {
    status: response.status,
    contentType: body._tag === "Empty" ? undefined : (response.headers["content-type"] ?? body.contentType),
    body: bytes,
    sha256: sha256Hex(bytes),
    headers: headersOf(response)
  }
}

/** The signed form of an answer: what is sent to this request, and its headers but those of the limits. */
export const signed = (
  answer: Answer,
  method: string,
  url: string,
  confirmed: boolean,
  sign: Sign
): ReadonlyArray<string> =>
  sign({
    method,
    url,
    status: confirmed ? 304 : answer.status,
    contentType: answer.contentType,
    sha256: answer.sha256,
    digest: answer.digest
  })

const send = (
  answer: Answer,
  request: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  sign: Sign
): HttpServerResponse.HttpServerResponse => {
  const confirmed = isRead(request.method) && isConfirmed(request.headers["if-none-match"], answer.etag)
  const headers = pairs([
    ...(confirmed ? answer.confirming : answer.headers),
    ...signed(answer, request.method, request.url, confirmed, sign),
    ...verdict.headers
  ])
  if (confirmed) return HttpServerResponse.empty({ status: 304, headers })
  if (answer.contentType === undefined) return HttpServerResponse.empty({ status: answer.status, headers })
  return HttpServerResponse.uint8Array(answer.bytes, { status: answer.status, headers })
}

/** The bytes come from their file, without a content coding; everything else is as of any answer. */
const sendSpooled = (
  response: HttpServerResponse.HttpServerResponse,
  { bytes, sha256, size }: Spooled,
  request: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  delivery: Delivery,
  { common, keyed }: { readonly common: Readonly<Record<string, string>>; readonly keyed: boolean }
): HttpServerResponse.HttpServerResponse => {
  const none = new Uint8Array()
  const contentType = response.headers["content-type"]
  const content: Content = {
    status: response.status,
    contentType,
    body: none,
    sha256,
    headers: { ...headersOf(response), "content-length": String(size) }
  }
  const answer = makeAnswer(content, { coding: "identity", bytes: none }, keyed, common)
  const sent = send(answer, request, verdict, delivery.sign)
  if (sent.status !== answer.status) return sent
  const cutOff = Effect.sync(() => {
    if (isNodeRequest(request.source)) request.source.socket.destroy()
  })
  return HttpServerResponse.setBody(sent, HttpBody.stream(givingUp(bytes, idle, cutOff), contentType, size))
}

const pairs = (headers: ReadonlyArray<string>): Record<string, string> => {
  const record: Record<string, string> = {}
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2)
    record[name] = value
  }
  return record
}

/** Wall clock in epoch milliseconds, as a function for what cannot wait. */
export const wallClock: Effect.Effect<() => number> = Effect.map(
  Clock.clockWith((clock) => Effect.succeed(clock)),
  (clock) => () => clock.currentTimeMillisUnsafe()
)
