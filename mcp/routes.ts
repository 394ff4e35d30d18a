/** The addresses of the room, for `http/Beside.ts`: they are signed and limited there as every answer is. */
import { Effect } from "effect"
import type { Settings } from "./Settings.ts"
import type { Needs } from "./server.ts"

/** The routes, over the services that are there when this is run. */
export const routes = Effect.gen(function* () {
  const context = yield* Effect.context<Needs | Settings>()
  // Read and made when somebody first asks: the SDK is more code than all of ours, and no start waits for it.
  let made: ReturnType<typeof make> | undefined
  const make = async () => (await import("./answers.ts")).make(context)
  const answers = Effect.promise(() => {
    made ??= make()
    return made
  })
  const full = Effect.flatMap(answers, ({ full }) => full)
  const open = Effect.flatMap(answers, (made) => made.public)
  const card = Effect.flatMap(answers, ({ card }) => card)
  return [
    { method: "POST", path: "/mcp", handler: full },
    { method: "POST", path: "/mcp/public", handler: open },
    { method: "GET", path: "/.well-known/mcp.json", handler: card },
    { method: "GET", path: "/.well-known/mcp/server-card.json", handler: card }
  ] as const
})
