/** The addresses of the room, for `http/ExtraRoutes.ts`: they are signed and limited there as every answer is. */
import { Effect } from "effect"
import type { Settings } from "./Settings.ts"
import type { Needs } from "./server.ts"

/** A message of JSON-RPC, and one that needs nothing before it. */
const takes = {
  body: {
    type: "object",
    properties: {
      jsonrpc: { const: "2.0" },
      id: { type: "integer", description: "given back in the answer" },
      method: { type: "string", description: "such as tools/list, tools/call" },
      params: { type: "object", description: "of tools/call: name and arguments" }
    },
    required: ["jsonrpc", "id", "method"]
  },
  sample: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }
}

/** The routes, over the services that are there when this is run. */
export const routes = Effect.gen(function* () {
  const context = yield* Effect.context<Needs | Settings>()
  // Read and made when somebody first asks: the SDK is more code than all of ours, and no start waits for it.
  let made: ReturnType<typeof make> | undefined
  const make = async () => (await import("./answers.ts")).make(context)
  // biome-ignore lint/plugin/promise: modules of ours
  const answers = Effect.promise(() => {
    made ??= make()
    return made
  })
  const full = Effect.flatMap(answers, ({ full }) => full)
  const open = Effect.flatMap(answers, (made) => made.public)
  const card = Effect.flatMap(answers, ({ card }) => card)
  return [
    { method: "POST", path: "/mcp", summary: "Model Context Protocol: every tool", takes, handler: full },
    {
      method: "POST",
      path: "/mcp/public",
      summary: "the same without accounts, purchases and payments",
      takes,
      handler: open
    },
    { method: "GET", path: "/.well-known/mcp.json", summary: "describes both", handler: card },
    { method: "GET", path: "/.well-known/mcp/server-card.json", summary: "the same", handler: card }
  ] as const
})
