/** Traces, logs and metrics to an OpenTelemetry collector, where one is set (`OTLP_ENDPOINT`). */
import { Effect, Layer, Option } from "effect"
import { FetchHttpClient, UrlParams } from "effect/http"
import * as Otlp from "effect/observability/Otlp"
import packageJson from "../package.json" with { type: "json" }
import { Settings } from "./settings.ts"

/** Parameters of our addresses that are worth a key: no trace shows their values. */
const redacted = Layer.effect(
  UrlParams.CurrentRedactedNames,
  Effect.map(UrlParams.CurrentRedactedNames, (names) => [...names, "session_id"])
)

/** What is sent goes to `/v1/traces`, `/v1/logs` and `/v1/metrics` under this address, as JSON. */
export const telemetryTo = (endpoint: URL) =>
  Otlp.layerJson({
    baseUrl: endpoint.href,
    resource: { serviceName: "plumbline", serviceVersion: packageJson.version }
  }).pipe(Layer.provide(FetchHttpClient.layer), Layer.merge(redacted))

export const telemetry = Layer.unwrap(
  Effect.map(Settings, ({ otlpEndpoint }) =>
    Option.match(otlpEndpoint, { onNone: () => Layer.empty, onSome: telemetryTo })
  )
)
