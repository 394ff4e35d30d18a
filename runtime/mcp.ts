/** The MCP room beside the HTTP API: its routes, with what the settings say. */
import { Effect, Layer } from "effect"
import { Beside } from "../http/Beside.ts"
import { networkOfRequest } from "../http/delivery/deliver.ts"
import { routes } from "../mcp/routes.ts"
import { Settings as McpSettings } from "../mcp/Settings.ts"
import { Settings } from "./settings.ts"

export const layer = Layer.effect(Beside, routes).pipe(
  Layer.provide(
    Layer.effect(
      McpSettings,
      Effect.gen(function* () {
        const { base, mcpOrigins, trustProxy } = yield* Settings
        return McpSettings.of({
          baseUrl: base,
          origins: mcpOrigins,
          networkOf: (source) => networkOfRequest(source, trustProxy)
        })
      })
    )
  )
)
