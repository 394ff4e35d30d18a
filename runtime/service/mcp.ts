/** Mounts the MCP routes next to the HTTP API, under the same limits. */
import { Effect, Layer, Option } from "effect"
import { RateLimits } from "../../http/delivery/RateLimits.ts"
import { RequestState } from "../../http/delivery/RequestState.ts"
import { networkOfRequest } from "../../http/request/origin.ts"
import { ExtraRoutes } from "../../http/routing/ExtraRoutes.ts"
import { type InTurn, McpSettings } from "../../mcp/McpSettings.ts"
import { PageReader } from "../../mcp/PageReader.ts"
import { routes } from "../../mcp/routes.ts"
import { Settings } from "../settings/Settings.ts"

/** `/mcp` of a service at `baseUrl`. */
export const layerOf = (options: {
  readonly baseUrl: string
  readonly origins: ReadonlyArray<string>
  readonly trustProxy: number
  readonly registryKey?: string | undefined
}) =>
  Layer.effect(ExtraRoutes, routes).pipe(
    Layer.provide(PageReader.layer),
    Layer.provide(
      Layer.effect(
        McpSettings,
        Effect.gen(function* () {
          const limits = yield* RateLimits
          return McpSettings.of({
            ...options,
            registryKey: options.registryKey,
            networkOf: (source) => networkOfRequest(source, options.trustProxy),
            inTurn: Effect.map(
              RequestState,
              ({ inTurn }): InTurn =>
                (work, spends, crowded) =>
                  inTurn === undefined ? work : inTurn(work, spends === "alone" ? "held" : "opened", crowded)
            ),
            count: Effect.fnUntraced(function* ({ key, network }, path, calls) {
              for (let n = 0; n < calls; n++) {
                const caller = { network, path, pays: false }
                const verdict = key === undefined ? limits.keyless(caller) : yield* limits.keyed(key, caller)
                if (!verdict.allowed) return verdict.retryAfter ?? 60
              }
              return undefined
            })
          })
        })
      )
    )
  )

export const layer = Layer.unwrap(
  Effect.map(Settings, ({ base, mcpOrigins, mcpRegistryKey, trustProxy }) =>
    layerOf({
      baseUrl: base,
      origins: mcpOrigins,
      trustProxy,
      registryKey: Option.getOrUndefined(mcpRegistryKey)
    })
  )
)
