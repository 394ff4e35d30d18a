/**
 * Routes outside the API definition because they speak another protocol (`/mcp`). The composition root provides them, and
 * `handlers/icebergCatalog.ts` has more.
 * They pass the same limits and URL checks. Their errors keep their own format, and only responses that are whole bytes
 * are signed.
 */
import { Context, type Effect, type Scope } from "effect"
import type { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"

export interface ExtraRoute {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: `/${string}`
  /** Shown on the documentation page. */
  readonly summary: string
  /** The body's JSON Schema and an example, for the hint returned to a GET on a POST-only path. */
  readonly takes?: { readonly body: Readonly<Record<string, unknown>>; readonly sample: unknown }
  /** The refusal of a browser's preflight, by its headers, if a request from there would be refused; undefined if it would not. */
  readonly preflight?: (
    headers: Readonly<Record<string, string | undefined>>
  ) => Effect.Effect<HttpServerResponse.HttpServerResponse | undefined>
  /**
   * The answer of the route's protocol that a refusal by the limits is told in, if the body of the request can be answered so; `problem`
   * is that of the API as JSON. Undefined: the refusal stays as it is.
   */
  readonly refusal?: (body: string, problem: string) => Effect.Effect<object | undefined>
  /** `HttpEffect.fromWebHandler` converts a `Request => Promise<Response>`. */
  readonly handler: Effect.Effect<
    HttpServerResponse.HttpServerResponse,
    unknown,
    HttpRouter.RouteContext | HttpServerRequest.HttpServerRequest | Scope.Scope
  >
}

export const ExtraRoutes = Context.Reference<ReadonlyArray<ExtraRoute>>("http/routing/ExtraRoutes", {
  defaultValue: () => []
})
