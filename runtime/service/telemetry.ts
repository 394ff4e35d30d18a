/** Sends traces, logs and metrics to the OpenTelemetry collector in `OTLP_ENDPOINT`, if it is set. */
import { Effect, Layer, Option, Redacted } from "effect"
import { makeScrub } from "../logging/scrub.ts"
import { secretsIn } from "../logging/secrets.ts"
import { Settings } from "../settings/Settings.ts"

export const telemetry = Layer.unwrap(
  Effect.gen(function* () {
    const { otlpEndpoint, otlpHeaders, otlpSample } = yield* Settings
    if (Option.isNone(otlpEndpoint)) return Layer.empty
    const { layer } = yield* Effect.promise(() => import("../outside/otlp.ts"))
    return layer({
      endpoint: otlpEndpoint.value,
      headers: Redacted.value(otlpHeaders),
      sample: otlpSample,
      scrub: makeScrub(secretsIn(process.env))
    })
  })
)
