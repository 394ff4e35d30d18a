/** An OpenTelemetry collector: what it is told of the service. */
import { Effect, Layer } from "effect"
import { FetchHttpClient, UrlParams } from "effect/http"
import * as Otlp from "effect/observability/Otlp"
import packageJson from "../../package.json" with { type: "json" }

/** Parameters of our addresses that are worth a key: no trace shows their values. */
const redacted = Layer.effect(
  UrlParams.CurrentRedactedNames,
  Effect.map(UrlParams.CurrentRedactedNames, (names) => [...names, "session_id"])
)

/** What is sent goes to `/v1/traces`, `/v1/logs` and `/v1/metrics` under this address, as JSON. */
export const layer = (endpoint: URL) =>
  Otlp.layerJson({
    baseUrl: endpoint.href,
    resource: { serviceName: "plumbline", serviceVersion: packageJson.version }
  }).pipe(Layer.provide(FetchHttpClient.layer), Layer.merge(redacted))
