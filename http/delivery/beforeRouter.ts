/** Requests that never reach the router: of another host, with a coding that is not read, and preflights. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { UnsupportedMediaType } from "../../core/wire/problems/request.ts"
import { respond } from "../problems/fromRequest.ts"
import { hostProblem } from "../request/target.ts"
import type { Call } from "./Call.ts"
import { allowedAt } from "./refusals.ts"

/** The signed response to a request that never reaches the router; undefined if it may go on. */
export const beforeRouter = ({
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

const preflight = (methods: ReadonlyArray<string>) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      allow: methods.join(", "),
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers":
        "Content-Type, X-API-Key, Idempotency-Key, If-None-Match, Last-Event-ID, PAYMENT-SIGNATURE, X-PAYMENT, " +
        "Authorization, SIGN-IN-WITH-X, Range, If-Range, traceparent, tracestate, " +
        "MCP-Protocol-Version, Mcp-Method, Mcp-Name",
      "access-control-max-age": "86400"
    }
  })
