/** The handlers of the MCP routes, with the protocol's SDK and all tools. */
import { Context, Effect, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { agentCard } from "./agentCard.ts"
import { descriptor } from "./descriptor.ts"
import { type InTurn, McpSettings, type Sender } from "./McpSettings.ts"
import { registryEntry } from "./registryEntry.ts"
import { makeServers, type Needs, spendsWithOthers } from "./server.ts"
import type { Edition } from "./Tool.ts"
import { checkOrigin, loopback, makeTransport, type Policy } from "./transport.ts"

/** A sender with the turn of the request that it sent. */
interface Caller extends Sender {
  readonly inTurn: InTurn
}

/** The handlers, with the services of `context`. */
export const make = (context: Context.Context<Needs | McpSettings>) => {
  const settings = Context.get(context, McpSettings)
  const { baseUrl } = settings
  const base = new URL(baseUrl)
  const hosts = new Set([...loopback, base.hostname])
  const listed = new Set([base.origin, ...settings.origins.map((origin) => new URL(origin).origin)])

  const policyOf = (edition: Edition): Policy => ({
    hosts,
    origins: edition === "public" ? "any" : listed
  })

  /** What a POST with these headers would be refused with, for the preflight before it. */
  const preflight = (edition: Edition) => (headers: Readonly<Record<string, string | undefined>>) => {
    const headerPairs = Object.entries(headers).filter(
      (pair): pair is [string, string] => pair[1] !== undefined
    )
    const refused = checkOrigin(new Headers(headerPairs), policyOf(edition))
    return refused === undefined ? Effect.succeed(undefined) : whole(refused)
  }

  const endpoint = (edition: Edition, path: `/${string}`) => {
    const answer = makeTransport(
      makeServers(edition, baseUrl, context),
      (sender: Caller, calls) => Effect.runPromise(settings.count(sender, path, calls)),
      {
        inTurn: ({ inTurn }, work, spends, crowded) =>
          // biome-ignore lint/plugin/promise: the SDK answers every failure itself; what it throws is a defect of ours
          Effect.runPromise(inTurn(Effect.promise(work), spends, crowded)),
        spendsWithOthers: spendsWithOthers(edition)
      }
    )
    return Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const headers = new Headers(Object.entries(request.headers))
      const refused = checkOrigin(headers, policyOf(edition))
      if (refused !== undefined) return yield* whole(refused)
      const text = yield* request.text.pipe(Effect.catchCause(() => Effect.succeed(undefined)))
      const key = request.headers["x-api-key"]
      const sender = {
        key: key === undefined ? undefined : Redacted.make(key),
        network: settings.networkOf(request.source),
        inTurn: yield* settings.inTurn
      }
      return yield* Effect.flatMap(
        // biome-ignore lint/plugin/promise: the SDK answers every failure itself; what it throws is a defect of ours
        Effect.promise(() => answer(`${baseUrl}${path}`, headers, text, sender)),
        whole
      )
    })
  }

  return {
    full: endpoint("full", "/mcp"),
    public: endpoint("public", "/mcp/public"),
    preflight: preflight("full"),
    publicPreflight: preflight("public"),
    card: constant(descriptor(baseUrl)),
    agentCard: constant(agentCard(baseUrl)),
    registryEntry: constant(registryEntry(baseUrl))
  }
}

/** The same answer for everybody. */
const constant = (value: object) => {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return Effect.succeed(HttpServerResponse.uint8Array(bytes, { contentType: "application/json" }))
}

/** Reads the response into bytes, so that it can be signed. */
const whole = Effect.fnUntraced(function* (response: Response) {
  // biome-ignore lint/plugin/promise: an answer made in memory
  const bytes = new Uint8Array(yield* Effect.promise(() => response.arrayBuffer()))
  const wait = response.headers.get("retry-after")
  const headers = { "cache-control": "no-store", ...(wait === null ? {} : { "retry-after": wait }) }
  if (bytes.length === 0) return HttpServerResponse.empty({ status: response.status, headers })
  const contentType = response.headers.get("content-type") ?? "application/json"
  return HttpServerResponse.uint8Array(bytes, { status: response.status, contentType, headers })
})
