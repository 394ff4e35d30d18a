/** Makes an answer that is not ready, around the router: the limits, the cache, and the queue of what has to be made. */
import type { IncomingMessage } from "node:http"
import { ByteSize, Effect, Exit, Redacted } from "effect"
import { HttpIncomingMessage, HttpServerRequest, HttpServerResponse } from "effect/http"
import { audienceOf, type Caller, Callers } from "../../core/credits/Callers.ts"
import { wideOf } from "../../core/process/network.ts"
import { classOf } from "../admission/importance.ts"
import { isOfAccounts, neverWaits } from "../admission/paths.ts"
import type { Place } from "../admission/queue.ts"
import { idHeader, requestId } from "../request/requestId.ts"
import { nameOf } from "./ByteCache.ts"
import { type Call, type CountedCall, largestBodyOf, mayShare, routeOf } from "./Call.ts"
import type { DeliveryContext } from "./DeliveryContext.ts"
import { measured } from "./processorTime.ts"
import { type App, produceResponse } from "./produceResponse.ts"
import type { Verdict } from "./RateLimits.ts"
import { fresh, type InTurn } from "./RequestState.ts"
import { cached, cacheKeyFor, callerOf, carried, isRead, keyOf, readyFor } from "./ready.ts"
import { sendInMemory } from "./sendInMemory.ts"
import { tellRefusal } from "./tellRefusal.ts"

/** Makes the answer to a request. What is in memory is written at once; a stream is left to the server. */
export const makeResponse = <R>(app: App<R>, delivery: DeliveryContext) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { response, source, verdict } = yield* carried(request.source)
    const id = requestId(request.headers, delivery.settings.trustProxy)
    const at = delivery.routes.at(request.url)
    const reply = yield* limited(app, { request, source, response, id, at }, verdict, delivery).pipe(
      Effect.annotateLogs({ request_id: id, request: `${request.method} ${at[0]?.path ?? "none"}` })
    )
    return reply.status < 400 ? reply : HttpServerResponse.setHeader(reply, idHeader, id)
  })

/** Asks the limits, unless the listener has, and charges what the event loop worked for the answer. */
const limited = <R>(app: App<R>, call: Call, counted: Verdict | undefined, delivery: DeliveryContext) =>
  Effect.gen(function* () {
    const time = { millis: 0 }
    const limits = counted === undefined ? askLimits(call.source, delivery) : Effect.succeed(counted)
    const limitExit = yield* Effect.exit(measured(time)(limits))
    const verdict = Exit.isSuccess(limitExit) ? limitExit.value : uncounted
    const limitedCall = { ...call, verdict, limitExit, isCountedHere: counted === undefined }
    return yield* answered(app, limitedCall, delivery).pipe(
      measured(time),
      Effect.ensuring(Effect.sync(() => verdict.charge?.({ millis: time.millis, bytes: 0 })))
    )
  })

/** A request of which the limits were asked, or could not be. */
interface LimitedCall extends CountedCall {
  readonly limitExit: Exit.Exit<Verdict, unknown>
  /** True unless the listener has counted the request, and has sent what was ready. */
  readonly isCountedHere: boolean
}

const answered = <R>(app: App<R>, call: LimitedCall, delivery: DeliveryContext) =>
  Effect.gen(function* () {
    const { isCountedHere, limitExit, request, source, verdict } = call
    const { caller, scope } = verdict.allowed
      ? yield* sharedBy(call)
      : { caller: verdict.identity, scope: undefined }
    if (Exit.isSuccess(limitExit) && !verdict.allowed) {
      const refusal = delivery.refusals.overLimit(verdict, source.url)
      return sendInMemory((yield* tellRefusal(refusal, call, delivery)) ?? refusal, call, delivery)
    }
    const ready =
      isCountedHere && Exit.isSuccess(limitExit) ? readyFor(source, verdict, scope, delivery) : undefined
    if (ready !== undefined) return sendInMemory(ready, call, delivery)
    const cacheKey = scope === undefined ? undefined : cacheKeyFor(source, scope)
    const route = routeOf(call)
    const queue = route?.takesLong === true ? delivery.longQueue : delivery.queue
    const place = placeOf(call, caller, delivery)
    const isForeign = route?.foreign === true
    const inTurn: InTurn | undefined =
      isForeign && place !== undefined
        ? (work, slot, crowded) => delivery.queue.enter({ ...place, slot }, work, crowded)
        : undefined
    const work = produceResponse(app, { ...call, state: fresh({ caller, inTurn }), cacheKey }, delivery)
    const crowded = () => sendInMemory(delivery.refusals.crowded(), call, delivery)
    const inQueue = place === undefined || isForeign ? work : queue.enter(place, work, crowded)
    const make = hasBody(source) ? withBody(call, place, delivery, inQueue, crowded) : inQueue
    if (cacheKey === undefined || !mayShare(call)) return yield* make
    const fromCache = () => {
      const entry = cached(source, cacheKey, delivery)
      return entry === undefined ? undefined : sendInMemory(entry, call, delivery)
    }
    return yield* delivery.singleFlight(nameOf(request.url, cacheKey), fromCache, make)
  })

/** The place of a call in the queue. Whatever costs the event loop waits for its turn; undefined for what is ready bytes, and for what no route takes. */
const placeOf = (
  { at, source, verdict }: CountedCall,
  caller: Caller | undefined,
  { settings }: DeliveryContext
): Place | undefined => {
  const { network, path, pays } = callerOf(source, settings)
  const route = routeOf({ at, source })
  if (route === undefined || neverWaits(path)) return undefined
  const account = verdict.account ?? caller?.account?.id
  const isHeld = (route.waits || route.takesLong) && !isOfAccounts(path)
  return {
    class: classOf(path, account !== undefined || pays),
    network,
    wide: wideOf(network),
    account: account ?? "",
    slot: isHeld ? "held" : "opened"
  }
}

/** Whether the request has a body that somebody reads. */
const hasBody = ({ headers, method = "GET" }: IncomingMessage): boolean =>
  !isRead(method) &&
  (headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0)

/**
 * The same once the body is in memory. One that waits for a slot, and may be large, counts until its answer is made, any other until it
 * is read: a sale takes as long as its chain.
 */
const withBody = <A, E, R>(
  call: LimitedCall,
  place: Place | undefined,
  { bodies, settings }: DeliveryContext,
  work: Effect.Effect<A, E, R>,
  crowded: () => A
) => {
  const { network, path } = callerOf(call.source, settings)
  const sender = {
    network,
    wide: wideOf(network),
    to: isOfAccounts(path) || neverWaits(path) ? "accounts" : "others",
    most: largestBodyOf(call)
  } as const
  return place?.slot === "held"
    ? bodies.read(sender, readBody(call), work, crowded)
    : bodies
        .read(sender, readBody(call), Effect.succeed(work), () => Effect.sync(crowded))
        .pipe(Effect.flatten)
}

/** Reads the body into memory; what is wrong with it is found again by the handler, who says so. */
const readBody = ({ request, ...call }: Call) =>
  Effect.ignore(request.arrayBuffer).pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(largestBodyOf(call)))
  )

/**
 * For whom a response to this request is made, if others can have the same one (`Form.scope`), and who called, where that was
 * looked up. The tier is that of now, and the handler uses the same.
 */
const sharedBy = Effect.fnUntraced(function* ({ at, request, verdict }: CountedCall) {
  const caller = verdict.identity
  if (!isRead(request.method)) return { caller, scope: undefined }
  const key = request.headers["x-api-key"]
  if (key === undefined) return { caller, scope: "" }
  const route = at.find(({ method }) => method === "GET")
  if (route === undefined || route.needsKey || route.foreign) return { caller, scope: undefined }
  if (!route.byTier) return { caller, scope: "any" }
  if (caller !== undefined) return { caller, scope: audienceOf(caller) }
  const callers = yield* Callers
  // If the database is away, the handler finds out too, and says so.
  const lookup = yield* Effect.exit(callers.identify(Redacted.make(key)))
  return Exit.isFailure(lookup)
    ? { caller: undefined, scope: undefined }
    : { caller: lookup.value, scope: audienceOf(lookup.value) }
})

/** Stands in for the verdict when asking the limits failed; the response is that failure. */
const uncounted: Verdict = { allowed: false, headers: [] }

/** Asks the limits of a caller whose key may exist. */
const askLimits = (source: IncomingMessage, { limits, settings }: DeliveryContext) => {
  const caller = callerOf(source, settings)
  const key = keyOf(source)
  return key === undefined ? Effect.succeed(limits.keyless(caller)) : limits.keyed(Redacted.make(key), caller)
}
