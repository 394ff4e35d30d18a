/** Makes an answer with the router: failures as problems, then the body in the way that it is sent. */
import { ByteSize, Effect, Exit, Match } from "effect"
import { HttpIncomingMessage, HttpServerResponse } from "effect/http"
import { Readable } from "../../core/readings/read/readable.ts"
import type { CacheValidators } from "../../core/readings/read/Versions.ts"
import { asProblem, toProblemResponse, withRequestId } from "../problems/fromRequest.ts"
import { type Content, makeAnswer } from "./answer.ts"
import { bodyOf, headersBesideContent } from "./Body.ts"
import type { CacheKey } from "./ByteCache.ts"
import { beforeRouter } from "./beforeRouter.ts"
import { type CountedCall, isForeign, isForPeople, isKeyed, largestBodyOf } from "./Call.ts"
import type { Coded } from "./Coded.ts"
import { codingFor } from "./coding.ts"
import type { DeliveryContext } from "./DeliveryContext.ts"
import type { Verdict } from "./RateLimits.ts"
import { RequestState } from "./RequestState.ts"
import { isRead } from "./ready.ts"
import { sendInMemory } from "./sendInMemory.ts"
import { sendFile, sendOpen, sendSpooled, sendUnhashed } from "./sendStreamed.ts"

export type App<R> = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, R>

/** A request that is to be answered anew. */
export interface PreparedCall extends CountedCall {
  readonly state: RequestState
  /** The failure of the limits is the answer. */
  readonly limitExit: Exit.Exit<Verdict, unknown>
  readonly cacheKey: CacheKey | undefined
}

/** Makes the answer and sends it. */
export const produceResponse = <R>(app: App<R>, call: PreparedCall, delivery: DeliveryContext) =>
  Effect.flatMap(routed(app, call, delivery), (response) =>
    Match.valueTags(bodyOf(response), {
      InMemory: ({ content }) => encoded(content, call, delivery),
      Coded: (coded) => Effect.sync(() => keep(contentOfCoded(response, coded), coded, call, delivery)),
      Spooled: (spooled) => Effect.sync(() => sendSpooled(response, spooled, call, delivery)),
      StoredFile: (file) => Effect.sync(() => sendFile(response, file, call, delivery)),
      OpenStream: (stream) => sendOpen(response, stream, call, delivery),
      Unhashed: () => Effect.sync(() => sendUnhashed(response, call, delivery))
    })
  )

/** What the router gives, or what answers before it; every failure is a problem. */
const routed = <R>(app: App<R>, call: PreparedCall, delivery: DeliveryContext) => {
  const { id, limitExit, state } = call
  const largestBody = ByteSize.bytes(largestBodyOf(call))
  return Effect.suspend(() =>
    Exit.isFailure(limitExit) ? Effect.failCause(limitExit.cause) : (beforeRouter(call) ?? app)
  ).pipe(
    (answering) =>
      Effect.flatMap(delivery.showable, (may) => Effect.provideService(answering, Readable, may)),
    Effect.provideService(RequestState, state),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, largestBody),
    Effect.flatMap((handlerResponse) => {
      const response = HttpServerResponse.setHeaders(handlerResponse, state.headers)
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
}

/** Compresses what is in memory, and sends it. */
const encoded = (content: Content, call: PreparedCall, delivery: DeliveryContext) => {
  const coding = codingFor(call.request.headers["accept-encoding"])
  return Effect.map(delivery.encode(coding, content.sha256, content.contentType, content.body), (body) =>
    keep(content, body, call, delivery)
  )
}

/** Sends what is in memory, and keeps it for others where it may be. */
const keep = (
  content: Content,
  body: Pick<Coded, "bytes" | "coding">,
  call: PreparedCall,
  delivery: DeliveryContext
): HttpServerResponse.HttpServerResponse => {
  const { cacheKey, request, state } = call
  const validators = isRead(request.method) ? validatorsOf(content, state) : undefined
  const policy = validators === undefined ? undefined : state.cachePolicy
  const answer = makeAnswer(content, body, isKeyed(call), delivery.common, policy)
  if (validators !== undefined) delivery.counts.misses += 1
  const isKept = cacheKey !== undefined && validators?.holds(delivery.now() + delivery.dataOffset) === true
  return sendInMemory(
    isKept
      ? delivery.cache.put(request.url, cacheKey, { answer, basis: validators, until: state.until })
      : { answer, head: undefined },
    call,
    delivery
  )
}

/** What a response depends on, if its bytes are kept. */
const validatorsOf = (
  { status }: Content,
  { validators, notFoundValidators }: RequestState
): CacheValidators | undefined =>
  status === 200 ? validators : status === 404 ? notFoundValidators : undefined

/** A page says for itself what is wrong. */
const isPage = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  headers["content-type"]?.startsWith("text/html") === true

/** What a body is that is compressed already. */
const contentOfCoded = (
  response: HttpServerResponse.HttpServerResponse,
  { bytes, sha256 }: Coded
): Content => ({
  status: response.status,
  contentType: response.headers["content-type"],
  body: bytes,
  sha256,
  headers: headersBesideContent(response)
})
