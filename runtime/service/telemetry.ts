/** Sends traces, logs and metrics to the OpenTelemetry collector in `OTLP_ENDPOINT`, if it is set. */
import { Effect, Layer, Option } from "effect"
import { Settings } from "./Settings.ts"

export const telemetry = Layer.unwrap(
  Effect.gen(function* () {
    const { otlpEndpoint } = yield* Settings
    if (Option.isNone(otlpEndpoint)) return Layer.empty
    const { layer } = yield* Effect.promise(() => import("../outside/otlp.ts"))
    return layer(otlpEndpoint.value)
  })
)
