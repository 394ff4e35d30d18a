/** `/metrics` on a port of its own. Whoever reaches the port may read it, so only Prometheus should. */

import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, Option } from "effect"
import { HttpRouter } from "effect/http"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { boundConnections } from "../../http/admission/boundConnections.ts"
import { Settings, SettingsError } from "../settings/Settings.ts"

/** Few scrape it, and those that do not must not take the descriptors of the service. */
const listener = () => {
  const server = createServer({ headersTimeout: 10_000, connectionsCheckingInterval: 1000 })
  boundConnections(server, { most: 32, mostOfNetwork: 8 })
  return server
}

export const layer = Layer.unwrap(
  Effect.map(Settings, ({ host, metricsPort }) =>
    Option.match(metricsPort, {
      onNone: () => Layer.empty,
      onSome: (port) =>
        HttpRouter.serve(PrometheusMetrics.layerHttp(), { disableLogger: true, disableListenLog: true }).pipe(
          Layer.provide(NodeHttpServer.layer(listener, { host, port })),
          Layer.catch(() =>
            Layer.effectDiscard(
              new SettingsError({
                message: `METRICS_PORT: cannot listen on ${host} port ${port}; set METRICS_PORT to a free port`
              })
            )
          )
        )
    })
  )
)
