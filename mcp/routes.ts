/** The routes of this room for `http/routing/ExtraRoutes.ts`, where they are limited and signed like all others. */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { McpSettings, registryProof, registryProofPath } from "./McpSettings.ts"
import type { Needs } from "./server.ts"

/** A preflight by its headers, as `http` gives them. */
type Headers = Readonly<Record<string, string | undefined>>

/** The schema of a JSON-RPC message, and one that works as the first message. */
const takes = {
  body: {
    type: "object",
    properties: {
      jsonrpc: { const: "2.0" },
      id: { type: "integer", description: "returned in the response" },
      method: { type: "string", description: "e.g. tools/list or tools/call" },
      params: { type: "object", description: "for tools/call: name and arguments" }
    },
    required: ["jsonrpc", "id", "method"]
  },
  sample: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }
}

/** The routes, with the services in context when this runs. */
export const routes = Effect.gen(function* () {
  const context = yield* Effect.context<Needs | McpSettings>()
  const { registryKey } = yield* McpSettings
  // Loaded on the first request: the SDK is larger than all of our code, and startup should not wait for it.
  let handlers: ReturnType<typeof make> | undefined
  const make = async () => (await import("./handlers.ts")).make(context)
  // biome-ignore lint/plugin/promise: modules of ours
  const answers = Effect.promise(() => {
    handlers ??= make()
    return handlers
  })
  const full = Effect.flatMap(answers, ({ full }) => full)
  const open = Effect.flatMap(answers, (handlers) => handlers.public)
  const card = Effect.flatMap(answers, ({ card }) => card)
  const agentCard = Effect.flatMap(answers, ({ agentCard }) => agentCard)
  const registryEntry = Effect.flatMap(answers, ({ registryEntry }) => registryEntry)
  const refusal = (body: string, problem: string) =>
    Effect.promise(async () => (await import("./refusals.ts")).refusalInText(body, problem))
  return [
    {
      method: "POST",
      path: "/mcp",
      summary: "Model Context Protocol: every tool",
      takes,
      refusal,
      preflight: (headers: Headers) => Effect.flatMap(answers, ({ preflight }) => preflight(headers)),
      handler: full
    },
    {
      method: "POST",
      path: "/mcp/public",
      summary: "Model Context Protocol without accounts, purchases and payments",
      takes,
      refusal,
      preflight: (headers: Headers) =>
        Effect.flatMap(answers, ({ publicPreflight }) => publicPreflight(headers)),
      handler: open
    },
    { method: "GET", path: "/.well-known/mcp.json", summary: "Describes both MCP endpoints", handler: card },
    {
      method: "GET",
      path: "/.well-known/mcp/server-card.json",
      summary: "The same description",
      handler: card
    },
    {
      method: "GET",
      path: "/.well-known/agent-card.json",
      summary: "The tools as skills, in the form of A2A",
      handler: agentCard
    },
    {
      method: "GET",
      path: "/server.json",
      summary: "The entry for the registry of MCP servers",
      handler: registryEntry
    },
    ...(registryKey === undefined
      ? []
      : [
          {
            method: "GET",
            path: registryProofPath,
            summary: "Proof of the domain for the registry of MCP servers",
            handler: Effect.succeed(HttpServerResponse.text(registryProof(registryKey)))
          } as const
        ])
  ] as const
})
