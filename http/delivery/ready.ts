/** Answers that are ready: refusals by the limits or by the head of a request, and cached bytes. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Effect } from "effect"
import { tablePath } from "../../core/proof/archive.ts"
import { logPath } from "../../core/proof/fetched.ts"
import { isOfSales } from "../admission/paths.ts"
import type { HttpSettings } from "../HttpSettings.ts"
import { carriesPayment } from "../payments/carries.ts"
import { networkOfRequest } from "../request/origin.ts"
import { hostProblem } from "../request/target.ts"
import { targetPath } from "../signing/sign.ts"
import { type CacheKey, cacheKeyOf, type Entry } from "./ByteCache.ts"
import { codingFor } from "./coding.ts"
import type { DeliveryContext } from "./DeliveryContext.ts"
import type { Caller, Verdict } from "./RateLimits.ts"
import type { Unsigned } from "./refusals.ts"

export type Ready = Entry | Unsigned

export const isRead = (method: string | undefined): boolean => method === "GET" || method === "HEAD"

const header = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.join(",")

/** The API key of a request, as sent. */
export const keyOf = ({ headers }: IncomingMessage): string | undefined => header(headers["x-api-key"])

/** What the limits have to know of a request. */
export const callerOf = (request: IncomingMessage, { trustProxy }: HttpSettings["Service"]): Caller => {
  const path = targetPath(request.url ?? "/")
  return {
    network: networkOfRequest(request, trustProxy),
    path,
    pays: isOfSales(path) && carriesPayment(request.headers)
  }
}

/** A request on its way from the listener to the fiber that makes its answer. */
export interface Pending {
  readonly source: IncomingMessage
  readonly response: ServerResponse
  /** Undefined if the limits have not counted the request yet. */
  readonly verdict: Verdict | undefined
}

const pending: unique symbol = Symbol("http/delivery/pending")

interface Carrying extends IncomingMessage {
  [pending]?: Pending
}

/** Lets what the listener knows of a request go with it, so that no call is counted twice. */
export const carry = (source: Carrying, response: ServerResponse, verdict: Verdict | undefined): void => {
  source[pending] = { source, response, verdict }
}

const isCarrying = (source: object): source is { readonly [pending]: Pending } => pending in source

/** What the listener knows of a request. */
export const carried = (source: object): Effect.Effect<Pending> =>
  isCarrying(source)
    ? Effect.succeed(source[pending])
    : Effect.die("a request that did not pass the listener")

/** The form of an answer in which this request can share its bytes with others. `scope` is that of `Form`. */
export const cacheKeyFor = ({ headers }: IncomingMessage, scope: string): CacheKey =>
  cacheKeyOf(codingFor(header(headers["accept-encoding"])), headers["accept"], scope)

/** Under these, a part of a file is read from the disk. */
const inParts = [logPath, tablePath]

/** The cached answer of a form, if it still holds. */
export const cached = (
  { headers, method, url = "/" }: IncomingMessage,
  key: CacheKey,
  { cache, counts, dataOffset, now }: DeliveryContext
): Entry | undefined => {
  if (!isRead(method) || headers["content-encoding"] !== undefined) return undefined
  if (
    headers.range !== undefined &&
    key.coding === "identity" &&
    inParts.some((path) => url.startsWith(path))
  )
    return undefined
  const entry = cache.get(url, key, now() + dataOffset)
  if (entry !== undefined) counts.hits += 1
  return entry
}

/** `scope`: whose answers this request can share; undefined if none. Undefined if the answer has to be made. */
export const readyFor = (
  request: IncomingMessage,
  verdict: Verdict,
  scope: string | undefined,
  delivery: DeliveryContext
): Ready | undefined => {
  if (!verdict.allowed) return delivery.refusals.overLimit(verdict, request.url)
  // `Host` decides where a request belongs, and its refusal is signed.
  if (hostProblem(request) !== undefined) return undefined
  const entry = scope === undefined ? undefined : cached(request, cacheKeyFor(request, scope), delivery)
  return entry ?? delivery.refusals.of(request)
}
