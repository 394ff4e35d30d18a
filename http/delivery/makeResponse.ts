/**
 * Makes an answer that is not ready, around the router: early rejections, failures as problems, and the content coding, headers
 * and signatures of the response.
 */
import type { IncomingMessage } from "node:http"
import { ByteSize, Clock, Context, Effect, Exit, Redacted, Stream } from "effect"
import { HttpBody, HttpIncomingMessage, HttpServerRequest, HttpServerResponse } from "effect/http"
import { audienceOf, Callers } from "../../core/credits/Callers.ts"
import { Readable } from "../../core/readings/read/readable.ts"
import type { CacheValidators } from "../../core/readings/read/Versions.ts"
import { UnsupportedMediaType } from "../../core/wire/problems/request.ts"
import { boundOf } from "../admission/Connections.ts"
import { classOf } from "../admission/importance.ts"
import { isOfAccounts, neverWaits } from "../admission/paths.ts"
import type { Place } from "../admission/queue.ts"
import { LargestBody } from "../api/Contract.ts"
import { asProblem, respond, toProblemResponse, withRequestId } from "../problems/fromRequest.ts"
import { wideOf } from "../request/origin.ts"
import { idHeader, requestId } from "../request/requestId.ts"
import { hostProblem } from "../request/target.ts"
import type { Route } from "../routing/routes.ts"
import { OpenStream } from "../stream/OpenStream.ts"
import { abortOnStall } from "./abortOnStall.ts"
import { type Content, digestOf, isConfirmed, makeAnswer, type ReadyResponse, sha256Hex } from "./answer.ts"
import { type CacheKey, nameOf } from "./ByteCache.ts"
import { Coded } from "./Coded.ts"
import { codingFor } from "./coding.ts"
import type { DeliveryContext } from "./DeliveryContext.ts"
import { measured } from "./processorTime.ts"
import type { Verdict } from "./RateLimits.ts"
import { fresh, RequestState } from "./RequestState.ts"
import { cached, cacheKeyFor, callerOf, carried, isRead, keyOf, type Pending, readyFor } from "./ready.ts"
import { allowedAt, type Unsigned } from "./refusals.ts"
import { idle, Spooled } from "./Spool.ts"
import { StoredFile, tagOf } from "./StoredFile.ts"
import { bytesSent, headOf, isSigned, type Signable, send } from "./write.ts"

type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>

/** A request whose answer is not ready, with its id and the routes of its path. */
interface Call extends Omit<Pending, "verdict"> {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly exchange: RequestState
  readonly id: string
  readonly at: ReadonlyArray<Route>
}

/** Makes the answer to a request. What is in memory is written at once; a stream is left to the server. */
export const makeResponse = <R>(app: App<R>, delivery: DeliveryContext) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { response, source, verdict } = yield* carried(request.source)
    const id = requestId(request.headers, delivery.settings.trustProxy)
    const at = delivery.routes.at(request.url)
    const exchange = fresh()
    const time = { millis: 0 }
    const call: Call = { request, source, response, exchange, id, at }
    const reply = yield* answered(app, call, verdict, delivery).pipe(
      measured(time),
      Effect.ensuring(Effect.sync(() => exchange.charge?.({ millis: time.millis, bytes: 0 }))),
      Effect.annotateLogs({ request_id: id, request: `${request.method} ${at[0]?.path ?? "none"}` })
    )
    return reply.status < 400 ? reply : HttpServerResponse.setHeader(reply, idHeader, id)
  })

const answered = <R>(app: App<R>, call: Call, counted: Verdict | undefined, delivery: DeliveryContext) =>
  Effect.gen(function* () {
    const { exchange, request, source } = call
    const limitExit =
      counted === undefined ? yield* Effect.exit(askLimits(source, delivery)) : Exit.succeed(counted)
    const verdict = Exit.isSuccess(limitExit) ? limitExit.value : uncounted
    exchange.caller = verdict.identity
    exchange.charge = verdict.charge
    const scope = verdict.allowed ? yield* scopeOf(call) : undefined
    // The listener has sent those of the calls that it has counted.
    const ready =
      counted === undefined && Exit.isSuccess(limitExit)
        ? readyFor(source, verdict, scope, delivery)
        : undefined
    if (ready !== undefined) return write(ready, call, verdict, delivery)
    const cacheKey = scope === undefined ? undefined : cacheKeyFor(source, scope)
    const work = produceResponse(app, { ...call, limitExit, verdict, cacheKey }, delivery)
    const route = routeOf(call)
    const queue = route?.takesLong === true ? delivery.longQueue : delivery.queue
    const crowded = () => write(delivery.refusals.crowded(), call, verdict, delivery)
    const place = placeOf(call, verdict, delivery)
    if (route?.foreign === true && place !== undefined) {
      exchange.inTurn = (work, slot, crowded) => delivery.queue.enter({ ...place, slot }, work, crowded)
    }
    const make =
      place === undefined || route?.foreign === true
        ? work
        : source.method === "POST" && place.slot === "held"
          ? delivery.bodies.read(place.network, bodyOf(call), queue.enter(place, work, crowded), crowded)
          : queue.enter(place, work, crowded)
    if (cacheKey === undefined || !mayShare(call)) return yield* make
    const fromCache = () => {
      const entry = cached(source, cacheKey, delivery)
      return entry === undefined ? undefined : write(entry, call, verdict, delivery)
    }
    return yield* delivery.singleFlight(nameOf(request.url, cacheKey), fromCache, make)
  })

/** The place of a call in the queue. Whatever costs the event loop waits for its turn; undefined for what is ready bytes, and for what no route takes. */
const placeOf = (
  { at, exchange, source }: Call,
  verdict: Verdict,
  { settings }: DeliveryContext
): Place | undefined => {
  const { network, path, pays } = callerOf(source, settings)
  const route = routeOf({ at, source })
  if (route === undefined || neverWaits(path)) return undefined
  const account = verdict.account ?? exchange.caller?.account?.id
  const isHeld = (route.waits || route.takesLong) && !isOfAccounts(path)
  return {
    class: classOf(path, account !== undefined || pays),
    network: boundOf(network),
    wide: wideOf(network),
    account: account ?? "",
    slot: isHeld ? "held" : "opened"
  }
}

/** Reads the body into memory; what is wrong with it is found again by the handler, who says so. */
const bodyOf = ({ request, ...call }: Call) =>
  Effect.ignore(request.arrayBuffer).pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(largestBodyOf(call)))
  )

const largestBodyOf = (call: Pick<Call, "at" | "source">): number =>
  routeOf(call)?.largestBody ?? Context.get(Context.empty(), LargestBody)

/** The route that answers, if the path has one for the method. */
const routeOf = ({ at, source }: Pick<Call, "at" | "source">): Route | undefined => {
  const method = isRead(source.method) ? "GET" : source.method
  return at.find((route) => route.method === method)
}

/** True if another request may get the bytes that this one makes. */
const mayShare = ({ at, source }: Call): boolean =>
  source.headers["content-encoding"] === undefined &&
  hostProblem(source) === undefined &&
  at.some((route) => route.cacheable && route.method === "GET")

/** A request that is to be answered anew. */
interface PreparedCall extends Call {
  readonly limitExit: Exit.Exit<Verdict, unknown>
  readonly verdict: Verdict
  readonly cacheKey: CacheKey | undefined
}

const produceResponse = <R>(app: App<R>, call: PreparedCall, delivery: DeliveryContext) =>
  Effect.gen(function* () {
    const { limitExit, exchange, cacheKey, id, request, verdict } = call
    const { common } = delivery
    const largestBody = ByteSize.bytes(largestBodyOf(call))
    const response = yield* Effect.suspend(() =>
      Exit.isFailure(limitExit) ? Effect.failCause(limitExit.cause) : (before(call) ?? app)
    ).pipe(
      (answering) =>
        Effect.flatMap(delivery.showable, (may) => Effect.provideService(answering, Readable, may)),
      Effect.provideService(RequestState, exchange),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, largestBody),
      Effect.flatMap((handlerResponse) => {
        const response = HttpServerResponse.setHeaders(handlerResponse, exchange.headers)
        return response.status < 400 || isPage(response) || isForeign(call)
          ? Effect.succeed(response)
          : asProblem(response, largestBody)
      }),
      Effect.catchCause((cause) => toProblemResponse(cause, largestBody)),
      Effect.map((prepared) => {
        const response = prepared.status < 500 ? prepared : withRequestId(prepared, id)
        return isForPeople(call) ? delivery.problemPage.of(response) : response
      })
    )
    const keyed = request.headers["x-api-key"] !== undefined
    if (response.body._tag === "Raw" && response.body.body instanceof Spooled) {
      return sendSpooled(response, response.body.body, call, verdict, delivery, { common, keyed })
    }
    if (response.body._tag === "Raw" && response.body.body instanceof StoredFile) {
      return sendFile(response, response.body.body, call, verdict, delivery, { common, keyed })
    }
    if (response.body._tag === "Raw" && response.body.body instanceof OpenStream) {
      return yield* sendOpen(response, response.body.body, call, verdict, common)
    }
    const coded =
      response.body._tag === "Raw" && response.body.body instanceof Coded ? response.body.body : undefined
    const content = coded === undefined ? contentOf(response) : contentOfCoded(response, coded)
    if (content === undefined) {
      // A stream cannot be hashed before it is sent, so it goes out unsigned.
      const headers = { ...common, ...pairs(verdict.headers) }
      return HttpServerResponse.setHeaders(chargedAsSent(response, verdict), headers)
    }
    const coding = codingFor(request.headers["accept-encoding"])
    const body = coded ?? (yield* delivery.encode(coding, content.sha256, content.contentType, content.body))
    const { cachePolicy, until } = exchange
    const validators = isRead(request.method) ? validatorsOf(content, exchange) : undefined
    const answer = makeAnswer(
      content,
      body,
      keyed,
      common,
      validators === undefined ? undefined : cachePolicy
    )
    if (validators !== undefined) delivery.counts.misses += 1
    if (cacheKey !== undefined && validators?.holds(delivery.now() + delivery.dataOffset) === true) {
      return write(
        delivery.cache.put(request.url, cacheKey, { answer, basis: validators, until }),
        call,
        verdict,
        delivery
      )
    }
    return write({ answer, head: undefined }, call, verdict, delivery)
  })

/** What a response depends on, if its bytes are kept. */
const validatorsOf = (
  { status }: Content,
  { validators, notFoundValidators }: RequestState
): CacheValidators | undefined =>
  status === 200 ? validators : status === 404 ? notFoundValidators : undefined

/**
 * For whom a response to this request is made, if others can have the same one (`Form.scope`). The tier is that of now,
 * and the handler uses the same.
 */
const scopeOf = Effect.fnUntraced(function* ({ at, exchange, request }: Call) {
  if (!isRead(request.method)) return undefined
  const key = request.headers["x-api-key"]
  if (key === undefined) return ""
  const route = at.find(({ method }) => method === "GET")
  if (route === undefined || route.needsKey || route.foreign) return undefined
  if (!route.byTier) return "any"
  if (exchange.caller === undefined) {
    const callers = yield* Callers
    // If the database is away, the handler finds out too, and says so.
    const lookup = yield* Effect.exit(callers.identify(Redacted.make(key)))
    if (Exit.isFailure(lookup)) return undefined
    exchange.caller = lookup.value
  }
  return audienceOf(exchange.caller)
})

/** Stands in for the verdict when asking the limits failed; the response is that failure. */
const uncounted: Verdict = { allowed: false, headers: [] }

/** Asks the limits of a caller whose key may exist. */
const askLimits = (source: IncomingMessage, { limits, settings }: DeliveryContext) => {
  const caller = callerOf(source, settings)
  const key = keyOf(source)
  return key === undefined ? Effect.succeed(limits.keyless(caller)) : limits.keyed(Redacted.make(key), caller)
}

/** The signed response to a request that never reaches the router; undefined if it may go on. */
const before = ({
  at,
  request,
  source
}: Call): Effect.Effect<HttpServerResponse.HttpServerResponse> | undefined => {
  const host = hostProblem(source)
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
  if (methods.length === 0) return undefined
  const refused = at.find((route) => route.preflight !== undefined)?.preflight?.(request.headers)
  return refused === undefined
    ? Effect.succeed(preflight(methods))
    : Effect.map(refused, (response) => response ?? preflight(methods))
}

/** True if the route speaks its own protocol (MCP), whose errors we leave as they are. */
const isForeign = ({ at, request }: Call): boolean =>
  at.some(
    ({ foreign, method, preflight }) =>
      foreign && (method === request.method || (request.method === "OPTIONS" && preflight !== undefined))
  )

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

/** The same of a body that is compressed already. */
const contentOfCoded = (
  response: HttpServerResponse.HttpServerResponse,
  { bytes, sha256 }: Coded
): Content => ({
  status: response.status,
  contentType: response.headers["content-type"],
  body: bytes,
  sha256,
  headers: headersOf(response)
})

/**
 * Writes a response that is in memory; nothing to a client that is gone. To what is not a read, a handler may append headers
 * after this (the quota of the encoder), so the server writes it.
 */
const write = (
  ready: Signable | Unsigned,
  { id, request, response, source }: Call,
  verdict: Verdict,
  delivery: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const { bytes, contentType, status } = ready.answer
  if (isRead(source.method) || !isSigned(ready)) {
    if (!response.destroyed) {
      const written = send(ready, source, response, { ofLimits: verdict.headers, id: () => id }, delivery)
      verdict.charge?.({ millis: 0, bytes: bytesSent(ready.answer, source.method, written) })
    }
    return HttpServerResponse.empty({ status })
  }
  const head = responseOf(ready.answer, request, verdict, delivery)
  verdict.charge?.({ millis: 0, bytes: bytes.length })
  return contentType === undefined
    ? head
    : HttpServerResponse.uint8Array(bytes, { status, headers: head.headers })
}

/** The head of a response whose body the server writes. */
const responseOf = (
  answer: ReadyResponse,
  request: HttpServerRequest.HttpServerRequest,
  verdict: Verdict,
  delivery: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const { method, url } = request
  const confirmed = isRead(method) && isConfirmed(request.headers["if-none-match"], answer.etag)
  const ready = { answer, head: undefined }
  const headers = pairs([...headOf(ready, { method, url, confirmed }, delivery), ...verdict.headers])
  return HttpServerResponse.empty({ status: confirmed ? 304 : answer.status, headers })
}

interface Circumstances {
  readonly common: Readonly<Record<string, string>>
  readonly keyed: boolean
}

/** Streams the bytes from their file; everything else works as for any response. */
const sendSpooled = (
  response: HttpServerResponse.HttpServerResponse,
  { bytes, form, sha256, size }: Spooled,
  call: Call,
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
    headers: {
      ...headersOf(response),
      "content-length": String(size),
      ...(form === undefined ? {} : { "content-digest": digestOf(form.sha256) })
    }
  }
  const answer = makeAnswer(content, { coding: form?.coding ?? "identity", bytes: none }, keyed, common)
  const reply = responseOf(answer, call.request, verdict, delivery)
  return reply.status === answer.status ? streamed(reply, bytes, size, call, verdict) : reply
}

/**
 * Streams a file that never changes, or the part that was asked for. A part is not signed: it would have to be read twice,
 * and whoever reads parts wants few of them. `Repr-Digest` has the hash of the whole.
 */
const sendFile = (
  response: HttpServerResponse.HttpServerResponse,
  file: StoredFile,
  call: Call,
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
  if (part === undefined || isConfirmed(call.request.headers["if-none-match"], tagOf(sha256))) {
    const body = new Spooled(sha256, size, Stream.orDie(bytes))
    const full = HttpServerResponse.setStatus(whole, 200)
    return sendSpooled(full, body, call, verdict, delivery, { common, keyed })
  }
  const length = part.to - part.from
  const partial = HttpServerResponse.setHeaders(whole, {
    ...common,
    ...pairs(verdict.headers),
    vary: "Accept-Encoding, X-API-Key",
    etag: tagOf(sha256),
    "content-range": `bytes ${part.from}-${part.to - 1}/${size}`,
    "content-length": String(length)
  })
  return streamed(partial, bytes, length, call, verdict)
}

/** Sends a stream until it ends. Its events are signed, each by itself, and the response is not: it has no end to hash. */
const sendOpen = Effect.fnUntraced(function* (
  response: HttpServerResponse.HttpServerResponse,
  stream: OpenStream,
  { response: node }: Call,
  verdict: Verdict,
  common: Readonly<Record<string, string>>
) {
  node.writeHead(200, {
    ...common,
    ...pairs(verdict.headers),
    ...response.headers,
    vary: "X-API-Key"
  })
  yield* stream.sendTo(node, (bytes) => verdict.charge?.({ millis: 0, bytes }))
  // It has been sent: nothing is written after the end of a response.
  return HttpServerResponse.empty()
})

/** The response with these bytes as its body. A client that reads nothing for long is given up. */
const streamed = (
  response: HttpServerResponse.HttpServerResponse,
  bytes: Stream.Stream<Uint8Array, unknown>,
  size: number,
  { source }: Call,
  verdict: Verdict
): HttpServerResponse.HttpServerResponse => {
  const cutOff = Effect.sync(() => source.socket.destroy())
  return HttpServerResponse.setBody(
    response,
    HttpBody.stream(
      abortOnStall(charged(bytes, verdict), idle, cutOff),
      response.headers["content-type"],
      size
    )
  )
}

/** The same response, whose stream is charged as it goes out. */
const chargedAsSent = (
  response: HttpServerResponse.HttpServerResponse,
  verdict: Verdict
): HttpServerResponse.HttpServerResponse => {
  const { body, headers } = response
  if (body._tag !== "Stream") return response
  const type = headers["content-type"] ?? body.contentType
  return HttpServerResponse.setBody(
    response,
    HttpBody.stream(charged(body.stream, verdict), type, body.contentLength)
  )
}

/** The same bytes, charged as they go out. */
const charged = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  { charge }: Verdict
): Stream.Stream<Uint8Array, E> =>
  charge === undefined
    ? bytes
    : Stream.map(bytes, (some) => {
        charge({ millis: 0, bytes: some.length })
        return some
      })

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
