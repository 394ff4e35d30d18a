/** A request whose answer is not ready, and what its routes say of it. */
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"
import { LargestBody } from "../api/Contract.ts"
import { hostProblem } from "../request/target.ts"
import type { Route } from "../routing/routes.ts"
import type { Verdict } from "./RateLimits.ts"
import { isRead, type Pending } from "./ready.ts"

/** A request with its id and the routes of its path. */
export interface Call extends Omit<Pending, "verdict"> {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly id: string
  readonly at: ReadonlyArray<Route>
}

/** The same, after the limits were asked. */
export interface CountedCall extends Call {
  readonly verdict: Verdict
}

/** True if the request names a key, so that shared caches must not store its answer. */
export const isKeyed = ({ request }: Pick<Call, "request">): boolean =>
  request.headers["x-api-key"] !== undefined

/** The route that answers, if the path has one for the method. */
export const routeOf = ({ at, source }: Pick<Call, "at" | "source">): Route | undefined => {
  const method = isRead(source.method) ? "GET" : source.method
  return at.find((route) => route.method === method)
}

/** The most bytes that a body of the request may have. */
export const largestBodyOf = (call: Pick<Call, "at" | "source">): number =>
  routeOf(call)?.largestBody ?? Context.get(Context.empty(), LargestBody)

/** True if another request may get the bytes that this one makes. */
export const mayShare = ({ at, source }: Call): boolean =>
  source.headers["content-encoding"] === undefined &&
  hostProblem(source) === undefined &&
  at.some((route) => route.cacheable && route.method === "GET")

/** True if the route speaks its own protocol (MCP), whose errors we leave as they are. */
export const isForeign = ({ at, request }: Call): boolean =>
  at.some(
    ({ foreign, method, preflight }) =>
      foreign && (method === request.method || (request.method === "OPTIONS" && preflight !== undefined))
  )

/** True if the request is for something that people open. */
export const isForPeople = ({ at, request }: Call): boolean =>
  at.some(({ forPeople, method }) => forPeople && (isRead(request.method) || method === request.method))
