/**
 * Routes that are no part of the API's definition because they speak a protocol of their own (`/mcp`): whoever composes
 * the service provides them. They pass the same limits and address checks; their errors are left in their own form,
 * and only an answer that is whole bytes is signed.
 */
import { Context, type Effect, type Scope } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"

export interface ExtraRoute {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: `/${string}`
  /** What it is, for the documentation page. */
  readonly summary: string
  /** What a call sends, for the hint that a GET on a POST-only path gets: the body's JSON Schema, and one that works. */
  readonly takes?: { readonly body: Readonly<Record<string, unknown>>; readonly sample: unknown }
  /** `HttpEffect.fromWebHandler` makes one of a `Request => Promise<Response>`. */
  readonly handler: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    unknown,
    HttpServerRequest.HttpServerRequest | Scope.Scope
  >
}

export const ExtraRoutes = Context.Reference<ReadonlyArray<ExtraRoute>>("http/ExtraRoutes", {
  defaultValue: () => []
})
