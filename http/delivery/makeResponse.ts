/**
 * What happens to every request around the router: early rejections, failures as problems, and the content coding,
 * headers and signatures of the response. Everything passes through here, except cached bytes (`fastPath.ts`).
 */

import { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, Exit, Redacted, Stream } from "effect"
import { HttpBody, HttpServerRequest, HttpServerResponse } from "effect/http"
import { audienceOf, Callers } from "../../core/credits/Callers.ts"
import type { Basis } from "../../core/data/read/Versions.ts"
import { UnsupportedMediaType } from "../../core/wire/problems/request.ts"
import type { ProblemPage } from "../explorer/pages/problem.ts"
import type { HttpSettings } from "../HttpSettings.ts"
import type { Counts } from "../metrics/Counts.ts"
import { asProblem, failed, identified, respond } from "../problems/fromRequest.ts"
import { isNodeRequest, networkOfRequest } from "../request/origin.ts"
import { idHeader, requestId } from "../request/requestId.ts"
import { hostProblem } from "../request/target.ts"
import type { Route, Routes } from "../routing/routes.ts"
import { type Sign, targetPath } from "../signing/sign.ts"
import { OpenStream } from "../stream/OpenStream.ts"
import { type Content, isConfirmed, makeAnswer, type ReadyResponse, sha256Hex } from "./answer.ts"
import { type ByteCache, type Form, formOf, nameOf } from "./ByteCache.ts"
import { codingFor, type Encode } from "./coding.ts"
import { givingUp } from "./idle.ts"
import { RateLimits, type Verdict } from "./RateLimits.ts"
import { fresh, RequestState } from "./RequestState.ts"
import { allowedAt, type Refusals } from "./refusals.ts"
import { idle, Spooled } from "./Spool.ts"
import { StoredFile, tagOf } from "./StoredFile.ts"
import type { InTurn } from "./turns.ts"
import { type Signable, signed, writeReady } from "./write.ts"

export interface DeliveryContext {
  readonly settings: HttpSettings["Service"]
  /** The headers of every response. */
  readonly common: Readonly<Record<string, string>>
  readonly routes: Routes
  readonly sign: Sign
  readonly encode: Encode
  readonly cache: ByteCache
  readonly counts: Counts
  readonly inTurn: InTurn
  /** Wall clock, epoch milliseconds. */
  readonly now: () => number
  /** How far the data clock is ahead of the wall clock, in milliseconds. */
  readonly dataOffset: number
  readonly refusals: Refusals
  /** Refusals of what people open, as pages. */
  readonly problemPage: ProblemPage
  /** Verdicts that `fastPath.ts` has already obtained, so no call is counted twice. */
  readonly asked: WeakMap<object, Verdict>
}

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>

export const deliver = <R>(app: App<R>, delivery: DeliveryContext) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const id = requestId(request.headers, delivery.settings.trustProxy)
    const at = delivery.routes.at(request.url)
    const response = yield* answered(app, { request, id, at }, delivery).pipe(
      Effect.annotateLogs({ request_id: id, request: `${request.method} ${at[0]?.path ?? "none"}` })
    )
    return response.status < 400 ? response : HttpServerResponse.setHeader(response, idHeader, id)
  })

/** A request with its id and the routes of its path. */
interface Call {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly id: string
  readonly at: ReadonlyArray<Route>
}

const answered = <R>(app: App<R>, call: Call, delivery: DeliveryContext) =>
  Effect.gen(function* () {
    const { request } = call
    const exchange = fresh()
    const counted = delivery.asked.get(request.source)
    const asked =
      counted === undefined ? yield* Effect.exit(askLimits(request, delivery)) : Exit.succeed(counted)
    const verdict = Exit.isSuccess(asked) ? asked.value : uncounted
    // `fastPath.ts` has sent those of the calls that it has counted.
    const refused =
      counted === undefined && Exit.isSuccess(asked) ? unsigned(request, verdict, delivery) : undefined
    if (refused !== undefined) return refused
    exchange.caller = verdict.found
    const scope = Exit.isSuccess(asked) ? yield* scopeOf(call, exchange) : undefined
    const form =
      scope === undefined
        ? undefined
        : formOf(codingFor(request.headers["accept-encoding"]), request.headers["accept"], scope)
    const kept = () => {
      if (form === undefined || request.headers["content-encoding"] !== undefined) return undefined
      const found = delivery.cache.get(request.url, form, delivery.now() + delivery.dataOffset)
      if (found === undefined) return undefined
      delivery.counts.hits += 1
      return send(found, request, verdict, delivery)
    }
    const make = making(app, { ...call, exchange, asked, verdict, form }, delivery)
    if (form === undefined || !mayShare(call)) return yield* make
    // `fastPath.ts` has looked for those of callers without a key.
    const found = form.scope === "" ? undefined : kept()
    return found ?? (yield* delivery.inTurn(nameOf(request.url, form), kept, make))
  })

/** True if another request may get the bytes that this one makes. */
const mayShare = ({ at, request: { headers } }: Call): boolean =>
  headers["content-encoding"] === undefined && at.some((route) => route.kept && route.method === "GET")

/** A request that is to be answered anew. */
interface Making extends Call {
  readonly exchange: RequestState
  readonly asked: Exit.Exit<Verdict, unknown>
  readonly verdict: Verdict
  readonly form: Form | undefined
}

const making = <R>(app: App<R>, call: Making, delivery: DeliveryContext) =>
  Effect.gen(function* () {
    const { asked, exchange, form, id, request, verdict } = call
    const { common } = delivery
    const response = yield* Effect.suspend(() =>
      Exit.isFailure(asked) ? Effect.failCause(asked.cause) : (before(call) ?? app)
    ).pipe(
      Effect.provideService(RequestState, exchange),
      Effect.flatMap((made) => {
        const response = HttpServerResponse.setHeaders(made, exchange.headers)
        return response.status < 400 || isPage(response) || isForeign(call)
          ? Effect.succeed(response)
          : asProblem(response)
      }),
      Effect.catchCause((cause) => failed(cause)),
      Effect.map((made) => {
        const response = made.status < 500 ? made : identified(made, id)
        return isForPeople(call) ? delivery.problemPage.of(response) : response
      })
    )
    const keyed = request.headers["x-api-key"] !== undefined
    if (response.body._tag === "Raw" && response.body.body instanceof Spooled) {
      return sendSpooled(response, response.body.body, request, verdict, delivery, { common, keyed })
    }
    if (response.body._tag === "Raw" && response.body.body instanceof StoredFile) {
      return sendFile(response, response.body.body, request, verdict, delivery, { common, keyed })
    }
    if (response.body._tag === "Raw" && response.body.body instanceof OpenStream) {
      return yield* sendOpen(response, response.body.body, request, verdict, common)
    }
    const content = contentOf(response)
    if (content === undefined) {
      // A stream cannot be hashed before it is sent, so it goes out unsigned.
      return HttpServerResponse.setHeaders(response, { ...common, ...pairs(verdict.headers) })
    }
    const wanted = codingFor(request.headers["accept-encoding"])
    const coded = yield* delivery.encode(wanted, content.sha256, content.contentType, content.body)
    const { keeping, until } = exchange
    const basis = isRead(request.method) ? basisOf(content, exchange) : undefined
    const answer = makeAnswer(content, coded, keyed, common, basis === undefined ? undefined : keeping)
    if (basis !== undefined) delivery.counts.misses += 1
    if (form !== undefined && basis?.holds(delivery.now() + delivery.dataOffset) === true) {
      return send(delivery.cache.put(request.url, form, { answer, basis, until }), request, verdict, delivery)
    }
    return send({ answer, head: undefined }, request, verdict, delivery)
  })

/** What a response depends on, if its bytes are kept. */
const basisOf = ({ status }: Content, { basis, basisOfNotFound }: RequestState): Basis | undefined =>
  status === 200 ? basis : status === 404 ? basisOfNotFound : undefined

/**
 * For whom a response to this request is made, if others can have the same one (`Form.scope`). The tier is that of now,
 * and the handler uses the same.
 */
const scopeOf = Effect.fnUntraced(function* ({ at, request }: Call, exchange: RequestState) {
  if (!isRead(request.method)) return undefined
  const key = request.headers["x-api-key"]
  if (key === undefined) return ""
  const route = at.find(({ method }) => method === "GET")
  if (route === undefined || route.needsKey || route.foreign) return undefined
  if (!route.byTier) return "any"
  if (exchange.caller === undefined) {
    const callers = yield* Callers
    // If the database is away, the handler finds out too, and says so.
    const found = yield* Effect.exit(callers.identify(Redacted.make(key)))
    if (Exit.isFailure(found)) return undefined
    exchange.caller = found.value
  }
  return audienceOf(exchange.caller)
})

/** The refusal of a request that states no datum; `fastPath.ts` has sent those of callers without a key. */
const unsigned = (
  { headers, method, source, url }: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  { counts, now, refusals }: DeliveryContext
): HttpServerResponse.HttpServerResponse | undefined => {
  const found = verdict.allowed
    ? isNodeRequest(source) && hostProblem(source) !== undefined
      ? undefined
      : refusals.of({ headers, method, url })
    : refusals.overLimit(verdict)
  if (found === undefined) return undefined
  const { answer, error } = found
  counts.refused(error)
  return HttpServerResponse.uint8Array(answer.bytes, {
    status: answer.status,
    headers: pairs([...answer.headers, ...answer.caching(now()), ...verdict.headers])
  })
}

/** Stands in for the verdict when asking the limits failed; the response is that failure. */
const uncounted: Verdict = { allowed: false, headers: [] }

export const isRead = (method: string): boolean => method === "GET" || method === "HEAD"

const askLimits = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  delivery: DeliveryContext
) {
  const limits = yield* RateLimits
  const caller = {
    network: networkOfRequest(request.source, delivery.settings.trustProxy),
    path: targetPath(request.url),
    pays: "payment-signature" in request.headers || "x-payment" in request.headers
  }
  const key = request.headers["x-api-key"]
  return key === undefined ? limits.keyless(caller) : yield* limits.keyed(Redacted.make(key), caller)
})

/** The signed response to a request that never reaches the router; undefined if it may go on. */
const before = ({ at, request }: Call): Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined => {
  const host = isNodeRequest(request.source) ? hostProblem(request.source) : undefined
  if (host !== undefined) return respond(host)
  const coding = request.headers["content-encoding"]
  if (coding !== undefined && coding !== "identity") {
    return respond(
      new UnsupportedMediaType({
        message: "Compressed request bodies are not supported; send Content-Encoding: identity.",
        valid_values: ["identity"]
      })
    )
  }
  const methods = request.method === "OPTIONS" ? allowedAt(at) : []
  return methods.length > 0 ? Effect.succeed(preflight(methods)) : undefined
}

/** True if the route speaks its own protocol (MCP), whose errors we leave as they are. */
const isForeign = ({ at, request }: Call): boolean =>
  at.some(({ foreign, method }) => foreign && method === request.method)

/** True if the request is for something that people open. */
const isForPeople = ({ at, request }: Call): boolean =>
  at.some(({ forPeople, method }) => forPeople && (isRead(request.method) || method === request.method))

/** A page says for itself what is wrong. */
const isPage = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  headers["content-type"]?.startsWith("text/html") === true

const preflight = (methods: ReadonlyArray<string>) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      allow: methods.join(", "),
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers":
        "Content-Type, X-API-Key, Idempotency-Key, If-None-Match, Last-Event-ID, PAYMENT-SIGNATURE, X-PAYMENT, " +
        "Authorization, SIGN-IN-WITH-X, " +
        "MCP-Protocol-Version, Mcp-Method, Mcp-Name",
      "access-control-max-age": "86400"
    }
  })

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

/** Sends a response that is in memory. What most callers get, the answer to a GET, goes the way of cached ones. */
const send = (
  ready: Signable,
  request: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  delivery: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const { answer } = ready
  const { source } = request
  if (request.method === "GET" && answer.status === 200 && isNodeRequest(source)) {
    const node = NodeHttpServerRequest.toServerResponse(request)
    if (node instanceof ServerResponse && !node.destroyed) {
      const status = writeReady(ready, source, node, verdict.headers, delivery)
      return HttpServerResponse.empty({ status })
    }
  }
  return responseOf(answer, request, verdict, delivery)
}

/** The response with its signatures, for the handler of the server to write. */
const responseOf = (
  answer: ReadyResponse,
  request: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  { now, sign }: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const confirmed = isRead(request.method) && isConfirmed(request.headers["if-none-match"], answer.etag)
  const headers = pairs([
    ...(confirmed ? answer.confirming : answer.headers),
    ...answer.caching(now()),
    ...signed(answer, request.method, request.url, confirmed, sign),
    ...verdict.headers
  ])
  if (confirmed) return HttpServerResponse.empty({ status: 304, headers })
  if (answer.contentType === undefined) return HttpServerResponse.empty({ status: answer.status, headers })
  return HttpServerResponse.uint8Array(answer.bytes, { status: answer.status, headers })
}

interface Circumstances {
  readonly common: Readonly<Record<string, string>>
  readonly keyed: boolean
}

/** Streams the bytes from their file, uncompressed; everything else works as for any response. */
const sendSpooled = (
  response: HttpServerResponse.HttpServerResponse,
  { bytes, sha256, size }: Spooled,
  request: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  delivery: DeliveryContext,
  { common, keyed }: Circumstances
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
  const sent = responseOf(answer, request, verdict, delivery)
  return sent.status === answer.status ? streamed(sent, bytes, size, request) : sent
}

/**
 * Streams a file that never changes, or the part that was asked for. A part is not signed: it would have to be read twice,
 * and whoever reads parts wants few of them. `Repr-Digest` has the hash of the whole.
 */
const sendFile = (
  response: HttpServerResponse.HttpServerResponse,
  file: StoredFile,
  request: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  delivery: DeliveryContext,
  { common, keyed }: Circumstances
): HttpServerResponse.HttpServerResponse => {
  const { bytes, part, sha256, size } = file
  const headers = {
    "accept-ranges": "bytes",
    "repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`
  }
  const whole = HttpServerResponse.setHeaders(response, headers)
  if (part === undefined || isConfirmed(request.headers["if-none-match"], tagOf(sha256))) {
    const body = new Spooled(sha256, size, Stream.orDie(bytes))
    const full = HttpServerResponse.setStatus(whole, 200)
    return sendSpooled(full, body, request, verdict, delivery, { common, keyed })
  }
  const length = part.to - part.from
  const sent = HttpServerResponse.setHeaders(whole, {
    ...common,
    ...pairs(verdict.headers),
    vary: "Accept-Encoding, X-API-Key",
    etag: tagOf(sha256),
    "content-range": `bytes ${part.from}-${part.to - 1}/${size}`,
    "content-length": String(length)
  })
  return streamed(sent, bytes, length, request)
}

/** Sends a stream until it ends. Its events are signed, each by itself, and the response is not: it has no end to hash. */
const sendOpen = Effect.fnUntraced(function* (
  response: HttpServerResponse.HttpServerResponse,
  stream: OpenStream,
  request: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  common: Readonly<Record<string, string>>
) {
  const node = NodeHttpServerRequest.toServerResponse(request)
  // The server speaks HTTP/1.1.
  if (!(node instanceof ServerResponse)) return yield* Effect.die("a stream over HTTP/2")
  node.writeHead(200, {
    ...common,
    ...pairs(verdict.headers),
    ...response.headers,
    vary: "X-API-Key"
  })
  yield* stream.sendTo(node)
  // It has been sent: nothing is written after the end of a response.
  return HttpServerResponse.empty()
})

/** The response with these bytes as its body. A client that reads nothing for long is given up. */
const streamed = (
  sent: HttpServerResponse.HttpServerResponse,
  bytes: Stream.Stream<Uint8Array, unknown>,
  size: number,
  request: HttpServerRequest.HttpServerRequest
): HttpServerResponse.HttpServerResponse => {
  const cutOff = Effect.sync(() => {
    if (isNodeRequest(request.source)) request.source.socket.destroy()
  })
  return HttpServerResponse.setBody(
    sent,
    HttpBody.stream(givingUp(bytes, idle, cutOff), sent.headers["content-type"], size)
  )
}

const pairs = (headers: ReadonlyArray<string>): Record<string, string> => {
  const record: Record<string, string> = {}
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = "", value = ""] = headers.slice(at, at + 2)
    record[name] = value
  }
  return record
}

/** Wall clock in epoch milliseconds, as a plain function for synchronous code. */
export const wallClock: Effect.Effect<() => number> = Effect.map(
  Clock.clockWith((clock) => Effect.succeed(clock)),
  (clock) => () => clock.currentTimeMillisUnsafe()
)
